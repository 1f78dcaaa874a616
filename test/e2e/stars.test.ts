import { expect, test } from "vitest";
import { Chatter } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { ANN, startTestService } from "../support/service.js";

test("a payment behind 130 messages of its person, which are dropped in part, is credited", async () => {
  const service = await startTestService({
    environment: { WELCOME_CREDIT_RUB: "0", TOPUP_STARS: "50:50,250:270", STARS_RATE_KOPECKS: "100" },
  });
  const ann = new Chatter(service.sandbox.person(ANN.id));
  ann.person.fillPurse(1000);
  ann.say("/topup");
  await ann.press("250 →");
  await ann.press("I accept");
  const invoice = await ann.see((message) => message.invoice !== undefined);
  const hold = service.sandbox.hold("sendMessage", ({ params }) => Number(params.chat_id) === ANN.id);
  for (let count = 0; count < 130; count += 1) ann.say("/balance");
  expect(await ann.person.pay(invoice)).toEqual({ type: "paid" });
  await eventually("the credit", () => service.balanceOf(ANN.id) === 270);
  expect(service.lines.some(({ msg }) => String(msg).includes("floods the bot"))).toBe(true);
  hold.release();
});
