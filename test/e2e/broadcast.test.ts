import { afterEach, beforeEach, expect, test } from "vitest";
import { Chatter } from "../support/chatter.js";
import { ADMIN, ANN, BORIS, startTestService, type TestService } from "../support/service.js";

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.close());

test("an admin's message reaches people as it was written, and those who want no news get none", async () => {
  const [ada, ann, boris] = [ADMIN, ANN, BORIS].map(({ id }) => new Chatter(service.sandbox.person(id)));
  for (const one of [ada, ann, boris]) {
    one?.say("/start");
    await one?.seeButton("🖼");
  }
  ada?.say("/broadcast");
  await ada?.see("Send me the message");
  ada?.say("Suno V6 is here");
  await ada?.press("Send to 3");
  const news = await ann?.seeButton("No more news", "Suno V6 is here");
  await boris?.seeButton("Отписаться", "Suno V6 is here");
  await ada?.see("Sent to 3 of 3");
  expect(news?.text).toBe("Suno V6 is here");
  await (await ann?.press("No more news"))?.answered();

  ada?.say("/broadcast");
  ada?.say("Seedream 5 too");
  await ada?.press("Send to 2");
  await boris?.see("Seedream 5 too");
  await ada?.see("Sent to 2 of 2");
  expect(ann?.heard().some(({ text }) => text === "Seedream 5 too")).toBe(false);
});
