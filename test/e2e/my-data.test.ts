import { afterEach, beforeEach, test } from "vitest";
import { Chatter } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { ANN, startTestService, type TestService } from "../support/service.js";
import { wordsIn } from "../support/words-in.js";

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.close());

const WORDS = "an otter named Marmalade";

test("a person who is forgotten leaves no word, name or file, and keeps the balance", async () => {
  const ann = new Chatter(service.sandbox.person(ANN.id));
  ann.say("/image");
  await ann.seeButton("Model");
  ann.say(WORDS);
  await ann.press("✅");
  await ann.seePhoto();
  ann.say("/image");
  ann.say(`${WORDS} again`);
  await ann.seeButton("✅");

  ann.say("/settings");
  await ann.press("My data");
  await ann.press("Forget me");
  await ann.see("stays yours");
  await ann.press("Forget everything");
  await ann.see("is erased");
  await eventually("nothing is left", () => wordsIn(service.directory, [WORDS, "Ann"]).length === 0);
  ann.say("/balance");
  await ann.see("90\u00a0₽");
});
