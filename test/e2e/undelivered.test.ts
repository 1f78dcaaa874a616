import { rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { table } from "../../src/database/table.js";
import { accountOf } from "../support/accounts.js";
import { Chatter, labelsOf } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { ANN, startTestService, type TestService } from "../support/service.js";
import { aheadClock } from "../support/stub-clocks.js";

const DAY_MS = 24 * 3600 * 1000;

let service: TestService;
/** How far ahead the service's clock is, in ms. */
let aheadMs = 0;
beforeEach(async () => {
  aheadMs = 0;
  const clock = aheadClock(() => aheadMs);
  service = await startTestService({ overrides: { clock } });
});

/** Ann has paid for a picture that is made while she has blocked the bot. */
async function orderAndBlock(): Promise<{ ann: Chatter; stateOf: () => string | undefined }> {
  service.provider.holds = true;
  const ann = new Chatter(service.sandbox.person(ANN.id));
  ann.say("a ferry");
  await ann.press("✅");
  await eventually("a task", () => service.provider.held.length > 0);
  ann.person.blockBot();
  service.provider.held[0]?.finish();
  const stateOf = () => table("delivery").all(service.database, {})[0]?.state;
  await eventually("a parked delivery", () => stateOf() === "parked");
  return { ann, stateOf };
}

function entriesOfAnn() {
  return service.adminService.entries(accountOf(service.adminService, ANN.id).id);
}

test("results that are lost before delivery are refunded once, and the person is told", async () => {
  const { ann, stateOf } = await orderAndBlock();
  expect(service.balanceOf(ANN.id)).toBe(90);
  rmSync(join(service.directory, "media", "files"), { recursive: true });
  // The first try to tell it fails: the second finds the refund of the first.
  const answer = { type: "status", code: 502, description: "Bad Gateway" } as const;
  const { faults } = service.sandbox;
  faults.add({
    method: "sendMessage",
    answer,
    matches: ({ params }) => String(params.text).includes("money is back"),
  });
  ann.say("/start");
  const told = await ann.see("money is back");
  expect(told.text).toContain("10\u00a0₽");
  expect(told.text).not.toContain("@atelier_help");
  await eventually("the end of the delivery", () => stateOf() === "failed");
  await ann.see("❌ Failed");
  expect(service.balanceOf(ANN.id)).toBe(100);
  expect(entriesOfAnn().filter(({ kind }) => kind === "refund")).toMatchObject([
    { amount: 10_00, reason: "lost", actor: "service" },
  ]);
  expect(service.adminService.verifyLedger()).toMatchObject({ mismatches: 0 });
  const records = service.lines.filter(({ level }) => Number(level) >= 50).map(({ msg }) => msg);
  expect(records).toEqual([
    "results lost before delivery, refunded",
    "order not delivered: its files are gone",
  ]);
});

test("a start with the clock far ahead deletes no file: expired results are offered and arrive", async () => {
  const { ann, stateOf } = await orderAndBlock();
  aheadMs = 400 * DAY_MS;
  await service.restart();
  await eventually("an expired delivery", () => stateOf() === "expired");
  ann.say("/start");
  const offer = await ann.see("still kept for you");
  expect(labelsOf(offer)).toEqual(["📥 Send it here"]);
  await ann.press("📥");
  await ann.seePhoto();
  await eventually("the end of the delivery", () => stateOf() === "sent");
  ann.say("/help");
  await ann.see("/image", offer.message_id);
  expect(ann.heard().filter((message) => labelsOf(message).includes("📥 Send it here"))).toHaveLength(1);
  const again = await ann.press("📥");
  expect((await again.answered()).text).toBe("There’s nothing left to send.");
  expect(ann.photos()).toHaveLength(1);
  expect(service.balanceOf(ANN.id)).toBe(90);
});
