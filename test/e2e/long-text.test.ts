import { createSandbox } from "@atelier/telegram-sandbox";
import { expect, test } from "vitest";
import { Chatter, labelsOf } from "../support/chatter.js";
import { eventually } from "../support/eventually.js";
import { ANN, startTestService, TOKEN } from "../support/service.js";
import { aheadClock } from "../support/stub-clocks.js";

test("a text that its parts make too long leaves nothing to pay, this is said once, and the next one is another text", async () => {
  /** When people send their messages. */
  let forwardMs = 0;
  const sandbox = await createSandbox({ token: TOKEN, people: [ANN], clock: aheadClock(() => forwardMs) });
  const service = await startTestService({ sandbox });
  const one = new Chatter(sandbox.person(ANN.id));
  one.say("/image");
  // Two parts, as clients cut a text.
  const [first, second] = ["fox ", "hen "].map((word) => `${word.repeat(900)}${"x".repeat(400)}`);
  for (const part of [first, second, first, "the end"]) one.say(part ?? "");
  await one.see("up to 10,000\u00a0characters");
  // The card that showed the beginning can be paid no more.
  const isPayable = () =>
    one.heard().some((message) => labelsOf(message).some((label) => label.startsWith("✅")));
  await sandbox.waitUntil(() => !isPayable() || undefined);
  forwardMs = 5000;
  one.say("a dog");
  await one.press("✅", "a dog");
  const { request } = await eventually("a task of the provider", () => service.provider.tasks[0]);
  expect(request.prompt).toBe("a dog");
  const refusals = one.heard().filter(({ text }) => text?.includes("up to 10,000\u00a0characters"));
  expect(refusals).toHaveLength(1);
});
