import { afterEach, expect, test } from "vitest";
import { createPromoCode } from "../../src/accounts/promo-book.js";
import { asKopecks } from "../../src/contract/price.js";
import { systemClock } from "../../src/platform/clock.js";
import { Chatter } from "../support/chatter.js";
import { ANN, BORIS, startTestService, type TestService } from "../support/service.js";

let service: TestService;
afterEach(() => service.close());

test("a code made beside the running service is credited from a link, once a person, and shown in the balance", async () => {
  service = await startTestService();
  const validUntil = systemClock.now() + 3_600_000;
  const terms = { code: "summer", kopecks: asKopecks(50_00), usesMax: 1, validUntil };
  await createPromoCode({ database: service.database, clock: systemClock }, terms);
  const ann = new Chatter(service.sandbox.person(ANN.id));
  ann.say("/start p_SUMMER");
  await ann.see("50\u00a0₽ was added");
  await ann.see("Ann");
  ann.say("/promo summer");
  await ann.see("You’ve used this code already");
  ann.say("/balance");
  await ann.see("Promo code · +50\u00a0₽");
  expect(service.balanceOf(ANN.id)).toBe(150);
  const boris = new Chatter(service.sandbox.person(BORIS.id));
  boris.say("/promo summer");
  await boris.see("Такого кода нет");
  expect(service.balanceOf(BORIS.id)).toBe(100);
});
