import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { drawInProcess } from "../../src/workers/chart-process.js";
import { Chatter, labelsOf } from "../support/chatter.js";
import { ADMIN, BORIS, startTestService, type TestService } from "../support/service.js";

const CHART_WORKER = fileURLToPath(new URL("../../dist/workers/chart-worker.js", import.meta.url));

let service: TestService;
afterEach(() => service.close());

test("an admin picks a person from Telegram's list, bans and unbans them, and returns the money of an order", async () => {
  service = await startTestService({
    overrides: { drawChart: (bars) => drawInProcess(bars, CHART_WORKER) },
  });
  const boris = new Chatter(service.sandbox.person(BORIS.id));
  const vera = new Chatter(service.sandbox.person(ADMIN.id));
  boris.say("/start");
  await boris.see("Здравствуйте");
  vera.say("/start");
  await vera.see("Your balance");

  boris.say("рыжая лиса в снегу");
  await boris.press("✅");
  await boris.seePhoto();
  const paid = 100 - service.balanceOf(BORIS.id);
  expect(paid).toBeGreaterThan(0);

  vera.say("/account");
  await vera.see("Whose account?");
  vera.person.shareUsers(1, [BORIS.id]);
  await vera.press("🚫 Stop orders", "Orders");
  const asked = await vera.see("Why can’t");
  vera.say("спам 7d");
  await vera.see("can’t order now", asked.message_id);
  await boris.see("Вы пока не можете делать заказы");
  boris.say("серый волк");
  const shown = await boris.seeButton("🎨", "волк");
  expect(shown.text).toContain("не можете делать заказы");
  expect(labelsOf(shown).join()).not.toContain("✅");
  expect(service.balanceOf(BORIS.id)).toBe(100 - paid);

  vera.say(`/unban ${BORIS.id}`);
  await boris.see("снова можете заказывать");
  vera.say("/order 1");
  await vera.press("↩️ Refund", "Order 1");
  await vera.press("✅ Yes, refund", "Files that were sent");
  await boris.see("Вам возвращено");
  expect(service.balanceOf(BORIS.id)).toBe(100);
  vera.say("/audit");
  await vera.see(/refund[\s\S]*orders allowed[\s\S]*orders stopped/);
  vera.say("/stats");
  const chart = await vera.seePhoto();
  expect(chart.caption).toMatch(/2 new[\s\S]*Orders: 1, 1 buyer/);
  await vera.press("7 days", "Today");
  await vera.see("📊 7 days");
});
