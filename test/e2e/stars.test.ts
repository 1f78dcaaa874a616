import type { TelegramMessage } from "@gramio/types";
import { beforeEach, expect, test } from "vitest";
import { Chatter } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { ANN, startTestService, type TestService } from "../support/service.js";

const ENVIRONMENT = {
  WELCOME_CREDIT_RUB: "0",
  TOPUP_STARS: "50:50,250:270",
  STARS_RATE_KOPECKS: "100",
};

let service: TestService;
let ann: Chatter;
beforeEach(async () => {
  service = await startTestService({ environment: ENVIRONMENT });
  ann = new Chatter(service.sandbox.person(ANN.id));
  ann.person.fillPurse(1000);
});

const isInvoice = ({ invoice }: TelegramMessage) => invoice !== undefined;

async function takeInvoice(): Promise<TelegramMessage> {
  ann.say("/topup");
  await ann.press("250 →");
  await ann.press("I accept");
  return ann.see(isInvoice);
}

test("from too little money to the picture: the exact sum is paid, and the card has its button", async () => {
  ann.say("a red fox");
  await ann.press("⭐ Top up 10", "a red fox");
  await ann.press("I accept");
  const invoice = await ann.see(isInvoice);
  expect(await ann.person.pay(invoice)).toEqual({ type: "paid" });
  await ann.see(/\+10/);
  await ann.press("✅", "a red fox");
  await ann.seePhoto();
  expect(service.balanceOf(ANN.id)).toBe(0);
});

test("a payment whose update was lost is credited at the next start", async () => {
  const invoice = await takeInvoice();
  service.sandbox.losePayments(1);
  await ann.person.pay(invoice);
  expect(service.balanceOf(ANN.id)).toBe(0);
  await service.restart();
  await ann.see(/\+270/);
  expect(service.balanceOf(ANN.id)).toBe(270);
  const metrics = await (await fetch(`${service.httpAddress}/metrics`)).text();
  expect(metrics).toContain('atelier_payments_difference{till="stars"} 0');
});

test("a payment behind 130 messages of its person, which are dropped in part, is credited", async () => {
  const invoice = await takeInvoice();
  const hold = service.sandbox.hold("sendMessage", ({ params }) => Number(params.chat_id) === ANN.id);
  for (let count = 0; count < 130; count += 1) ann.say("/balance");
  expect(await ann.person.pay(invoice)).toEqual({ type: "paid" });
  await eventually("the credit", () => service.balanceOf(ANN.id) === 270);
  expect(service.lines.some(({ msg }) => String(msg).includes("floods the bot"))).toBe(true);
  hold.release();
});
