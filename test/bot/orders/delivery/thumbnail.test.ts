import { expect, test } from "vitest";
import { thumbnailOf } from "../../../../src/bot/orders/delivery/thumbnail.js";
import { FakeService } from "../../../support/fake-gateway.js";
import { fakeFile } from "../../../support/fake-job.js";
import { turnOfEvents } from "../../../support/manual-clock.js";

test.each([
  ["is no JPEG", { mime: "image/webp", size: 1000 }],
  ["is too large", { mime: "image/jpeg", size: 200_001 }],
  ["only says that it is a JPEG", { mime: "image/jpeg", size: 1000 }],
])("a cover that %s is left out, and nothing of it stays open", async (_which, facts) => {
  const service = new FakeService();
  const { id } = service.addJob({ type: "music" });
  service.jobs.get(id)?.finish([fakeFile({ kind: "cover", ...facts })]);
  expect(await thumbnailOf(service.gateway(), id, 0)).toBeUndefined();
  await turnOfEvents();
  expect(service.openFiles).toBe(0);
});

test("a cover of unknown size is read no further than a cover may be", async () => {
  const service = new FakeService();
  const { id } = service.addJob({ type: "music" });
  let read = 0;
  function* endless() {
    for (;;) {
      read += 100_000;
      yield Buffer.alloc(100_000);
    }
  }
  const file = fakeFile({ kind: "cover", mime: "image/jpeg" }, endless);
  const { size: _, ...facts } = file.facts;
  service.jobs.get(id)?.finish([{ ...file, facts }]);
  expect(await thumbnailOf(service.gateway(), id, 0)).toBeUndefined();
  expect(read).toBeLessThan(1_000_000);
  await turnOfEvents();
  expect(service.openFiles).toBe(0);
});

test("a cover that cannot be read is left out", async () => {
  const service = new FakeService();
  service.failNext("results", new Error("EIO"));
  expect(await thumbnailOf(service.gateway(), "music_1", 0)).toBeUndefined();
});
