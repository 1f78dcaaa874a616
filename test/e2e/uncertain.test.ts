import { afterEach, beforeEach, expect, test } from "vitest";
import { accountOf } from "../support/accounts.js";
import { ApiAccount } from "../support/api-accounts.js";
import { Chatter } from "../support/chatter.js";
import { claimOrder, openOrderStore } from "../support/direct-order.js";
import { eventually } from "../support/eventually.js";
import { ADMIN, ANN, startTestService, type TestService } from "../support/service.js";

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.close());

const chatter = (id: number) => new Chatter(service.sandbox.person(id));
const request = { type: "image", model_key: "nano-banana-2", prompt: "a fox" } as const;

/** An order of Ann whose outcome an earlier run did not learn. */
async function leaveUncertain(): Promise<{ ann: Chatter; vera: Chatter }> {
  const [ann, vera] = [chatter(ANN.id), chatter(ADMIN.id)];
  for (const one of [ann, vera]) {
    one.say("/balance");
    await one.see("Your balance");
  }
  await service.stopService();
  const order = await claimOrder(service.database, { userId: ANN.id, request });
  await openOrderStore(service.database).uncertain.mark(order);
  await service.restart();
  await ann.seeButton("Try again", "isn’t certain whether");
  await vera.seeButton("✔️ Charged", "don’t know whether");
  return { ann, vera };
}

async function metric(): Promise<string | undefined> {
  const text = await (await fetch(`${service.httpAddress}/metrics`)).text();
  return /^atelier_orders_uncertain (\d+)$/m.exec(text)?.[1];
}

test("the picture of an uncertain order arrives after an admin has named its job", async () => {
  const { ann, vera } = await leaveUncertain();
  expect(await metric()).toBe("1");
  const { key } = await service.adminService.createKey(accountOf(service.adminService, ANN.id).id, null);
  const posted = await new ApiAccount(service.httpAddress, key).post(request);
  await vera.press("✔️ Charged");
  await vera.see("job id of order 1");
  vera.say("99999");
  await vera.see("has no job “99999”");
  vera.say(String(posted.job_id));
  await vera.see("Settled: it was charged");
  await ann.see("accepted after all");
  await ann.seePhoto();
  expect(await metric()).toBe("0");
  vera.say("/orders");
  await vera.see("no unconfirmed orders");
});

test("an uncertain order that was not charged can be paid again from the card that comes back", async () => {
  const { ann, vera } = await leaveUncertain();
  await vera.press("Not charged");
  await vera.press("Yes, not charged");
  await vera.see("Settled: it wasn’t charged");
  const news = await ann.see("wasn’t accepted");
  await ann.press("✅", "a fox");
  await ann.seePhoto();
  expect(news.text).not.toContain("balance");
  await eventually("one charge", () => service.balanceOf(ANN.id) === 90);
});
