import { expect, test } from "vitest";
import { table } from "../../src/database/table.js";
import { Chatter, labelsOf } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { ANN, startTestService } from "../support/service.js";
import { aheadClock } from "../support/stub-clocks.js";

const DAY_MS = 24 * 3600 * 1000;

test("a start with the clock far ahead deletes no file: expired results are offered and arrive", async () => {
  let aheadMs = 0;
  const service = await startTestService({ overrides: { clock: aheadClock(() => aheadMs) } });
  const becomes = (state: string) =>
    eventually(`a delivery that is ${state}`, () => {
      const [delivery] = table("delivery").all(service.database, {});
      return delivery?.state === state;
    });
  service.provider.holds = true;
  const ann = new Chatter(service.sandbox.person(ANN.id));
  ann.say("a ferry");
  await ann.press("✅");
  await eventually("a task", () => service.provider.held.length > 0);
  ann.person.blockBot();
  service.provider.held[0]?.finish();
  await becomes("parked");
  aheadMs = 400 * DAY_MS;
  await service.restart();
  await becomes("expired");
  ann.say("/start");
  const offer = await ann.see("still kept for you");
  expect(labelsOf(offer)).toEqual(["📥 Send it here"]);
  await ann.press("📥");
  await ann.seePhoto();
  await becomes("sent");
  ann.say("/help");
  await ann.see("/image", offer.message_id);
  expect(ann.heard().filter((message) => labelsOf(message).includes("📥 Send it here"))).toHaveLength(1);
  const again = await ann.press("📥");
  expect((await again.answered()).text).toBe("There’s nothing left to send.");
  expect(ann.photos()).toHaveLength(1);
  expect(service.balanceOf(ANN.id)).toBe(90);
});
