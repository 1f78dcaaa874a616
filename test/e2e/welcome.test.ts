import { createSandbox } from "@atelier/telegram-sandbox";
import { afterEach, expect, test } from "vitest";
import { Chatter } from "../support/chatter.js";
import { startTestService, type TestService, TOKEN } from "../support/service.js";

const YOUNG = { id: 9_999_999_999, first_name: "Eve", username: "eve", language_code: "en" };

let service: TestService;
afterEach(() => service.close());

test("a person with a young id gets the welcome credit by a tap, once, and orders with it", async () => {
  const sandbox = await createSandbox({ token: TOKEN, people: [YOUNG] });
  service = await startTestService({ sandbox });
  const eve = new Chatter(sandbox.person(YOUNG.id));
  eve.say("/start");
  await eve.see("A gift of 100\u00a0₽ is waiting for you");
  expect(service.balanceOf(YOUNG.id)).toBe(0);
  await eve.press("🎁 Get my gift");
  await eve.see("100\u00a0₽ was added");
  expect(service.balanceOf(YOUNG.id)).toBe(100);
  eve.say("/balance");
  await eve.see("Welcome gift · +100\u00a0₽");
});
