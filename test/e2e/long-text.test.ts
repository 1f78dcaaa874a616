import { createSandbox } from "@atelier/telegram-sandbox";
import { beforeEach, expect, test } from "vitest";
import { Chatter, labelsOf } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { ADMIN, ANN, BORIS, startTestService, type TestService, TOKEN } from "../support/service.js";
import { aheadClock } from "../support/stub-clocks.js";

/** When people send their messages. */
let forwardMs = 0;
const clock = aheadClock(() => forwardMs);

let service: TestService;
beforeEach(async () => {
  forwardMs = 0;
  const sandbox = await createSandbox({ token: TOKEN, people: [ANN, BORIS, ADMIN], clock });
  service = await startTestService({ sandbox });
  service.provider.holds = true;
});

const ann = () => new Chatter(service.sandbox.person(ANN.id));
const firstTask = () => eventually("a task of the provider", () => service.provider.tasks[0]);

/** Two parts, as clients cut a text, and the whole. */
const PARTS = ["fox ", "hen "].map((word) => word.repeat(900).trim()) as [string, string];

test("a text that the client split into several messages is rejected once as a whole when it is too long", async () => {
  const one = ann();
  one.say("/music");
  await one.press("My lyrics");
  await one.see("What are the lyrics?");
  one.say("a line of a song\n".repeat(240));
  const last = one.say("a line of a song\n".repeat(60));
  one.say("/balance");
  await one.see("Your balance:", last.message_id);
  const heard = one.heard().map(({ text }) => text ?? "");
  expect(heard.filter((text) => text.includes("Lyrics: up to 4,000\u00a0characters"))).toHaveLength(1);
  expect(heard.filter((text) => text.includes("a line of a song"))).toEqual([]);
});

test("a text that its parts make too long leaves nothing to pay, and this is said once", async () => {
  const one = ann();
  one.say("/image");
  const [first, second] = PARTS.map((part) => `${part} ${"x".repeat(4000 - part.length - 1)}`) as [
    string,
    string,
  ];
  one.say(first);
  one.say(second);
  one.say(first);
  one.say("the end");
  await one.see("up to 10,000\u00a0characters");
  // The card that showed the beginning can be paid no more.
  const isPayable = () =>
    one.heard().some((message) => labelsOf(message).some((label) => label.startsWith("✅")));
  await service.sandbox.waitUntil(() => !isPayable() || undefined);
  forwardMs = 5000;
  one.say("a dog");
  await one.press("✅", "a dog");
  expect((await firstTask()).request.prompt).toBe("a dog");
  const refusals = one.heard().filter(({ text }) => text?.includes("up to 10,000\u00a0characters"));
  expect(refusals).toHaveLength(1);
});
