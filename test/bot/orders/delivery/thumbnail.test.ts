import { expect, test } from "vitest";
import { thumbnailOf } from "../../../../src/bot/orders/delivery/file-sender.js";
import { FakeService } from "../../../support/fake-gateway.js";
import { type FakeFile, fakeFile } from "../../../support/fake-job.js";
import { turnOfEvents } from "../../../support/manual-clock.js";

/** The only file of a finished job. */
async function coverOf(file: FakeFile) {
  const service = new FakeService();
  const { id } = service.addJob({ type: "music" });
  service.jobs.get(id)?.finish([file]);
  const gateway = service.gateway();
  const [cover] = await gateway.results(await gateway.job(id));
  if (!cover) throw new Error("no cover");
  return { service, cover };
}

test.each([
  ["is no JPEG", { mime: "image/webp", size: 1000 }],
  ["is too large", { mime: "image/jpeg", size: 200_001 }],
  ["only says that it is a JPEG", { mime: "image/jpeg", size: 1000 }],
])("a cover that %s is left out, and nothing of it stays open", async (_which, facts) => {
  const { service, cover } = await coverOf(fakeFile({ kind: "cover", ...facts }));
  expect(await thumbnailOf(cover)).toBeUndefined();
  await turnOfEvents();
  expect(service.openFiles).toBe(0);
});

test("a cover of unknown size is read no further than a cover may be", async () => {
  let read = 0;
  function* endless() {
    for (;;) {
      read += 100_000;
      yield Buffer.alloc(100_000);
    }
  }
  const file = fakeFile({ kind: "cover", mime: "image/jpeg" }, endless);
  const { size: _, ...facts } = file.facts;
  const { service, cover } = await coverOf({ ...file, facts });
  expect(await thumbnailOf(cover)).toBeUndefined();
  expect(read).toBeLessThan(1_000_000);
  await turnOfEvents();
  expect(service.openFiles).toBe(0);
});

test("a cover that cannot be read is left out", async () => {
  const { service, cover } = await coverOf(fakeFile({ kind: "cover", mime: "image/jpeg" }));
  service.failNext("open", new Error("EIO"));
  expect(await thumbnailOf(cover)).toBeUndefined();
});
