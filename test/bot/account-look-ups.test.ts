import { expect, onTestFinished, test } from "vitest";
import type { JobFeed } from "../../src/ports/gateway.js";
import { openBotHarness } from "../support/bot-harness.js";
import { eventually } from "../support/eventually.js";

test("an account is asked for once an update, and once more by the delivery of an order", async () => {
  const jobFeed: JobFeed = { watch: (order, listener) => fakeService.jobFeed.watch(order, listener) };
  const { say, press, parts, lookUps, fakeService, calls } = openBotHarness({ jobFeed });
  parts.orderService.start();
  onTestFinished(() => parts.orderService.stop());
  for (const [index, words] of ["/start", "a fox", "a fox in the snow"].entries()) {
    await say(words);
    expect(lookUps).toEqual({ of: index + 1, ofOrder: 0 });
  }
  await press("✅");
  expect(lookUps).toEqual({ of: 4, ofOrder: 0 });
  for (const id of fakeService.jobs.keys()) fakeService.finish(id);
  await eventually("the picture", () => calls.some(({ method }) => method === "sendPhoto"));
  expect(lookUps).toEqual({ of: 4, ofOrder: 1 });
});
