import { createYookassa } from "@atelier/upstream-stand-ins";
import { expect, onTestFinished, test } from "vitest";
import { Chatter } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { ADMIN, ANN, startTestService } from "../support/service.js";

test("from the button to the refund: paid on the page, told by a hint, credited once, and paid back", async () => {
  const shop = await createYookassa();
  onTestFinished(() => shop.close());
  const environment = {
    ...shop.environment(),
    WELCOME_CREDIT_RUB: "0",
    TOPUP_STARS: "50:50",
    PUBLIC_URL: "https://atelier.example",
    LINK_SECRET: "0123456789abcdef0123456789abcdef",
  };
  const service = await startTestService({ environment });
  // The address that the log tells the operator, at the port of this test.
  const hook = service.lines.find(({ url }) => String(url).includes("/hooks/tills/"));
  shop.notifiedUrl = String(hook?.url).replace("https://atelier.example", service.httpAddress);
  shop.order("POST /v3/payments", "cut-after");
  const ann = new Chatter(service.sandbox.person(ANN.id));
  ann.say("/topup");
  await ann.press("💳 300");
  await ann.press("I accept");
  const message = await ann.see(/opens the payment page/);
  const [, url = ""] = /"url":"([^"]+)"/.exec(JSON.stringify(message.reply_markup)) ?? [];
  expect(shop.shop.payments).toHaveLength(1);
  expect(await (await fetch(url)).text()).toContain("Pay 300.00 ₽");
  await fetch(url, { method: "POST", body: new URLSearchParams({ act: "pay" }) });
  await ann.see(/\+300/);
  expect(service.balanceOf(ANN.id)).toBe(300);

  const admin = new Chatter(service.sandbox.person(ADMIN.id));
  admin.say("/refund 1");
  await admin.press("↩️ Refund 300", "300");
  await admin.press("✅ Yes, refund 300");
  await admin.see(/Refunded/);
  expect(shop.shop.refunds).toMatchObject([{ kopecks: 300_00, status: "succeeded" }]);
  await eventually("the debit", () => service.balanceOf(ANN.id) === 0);
  expect(await (await fetch(`${service.httpAddress}/metrics`)).text()).toContain(
    'atelier_till_open_payments{till="yookassa"} 0',
  );
});
