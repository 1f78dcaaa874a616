import { expect, onTestFinished, test } from "vitest";
import { cardData } from "../../src/bot/card/callback-data.js";
import type { JobFeed } from "../../src/ports/job-feed.js";
import { ANN, openBotHarness } from "../support/bot-harness.js";
import { eventually } from "../support/eventually.js";

test("an account is asked for once an update, and once more by the delivery of an order", async () => {
  const jobFeed: JobFeed = { watch: (order, listener) => fakeService.jobFeed.watch(order, listener) };
  const { say, tap, buttons, drafts, parts, lookUps, fakeService, calls } = openBotHarness({ jobFeed });
  parts.orderService.start();
  onTestFinished(() => parts.orderService.stop());
  await say("/start");
  expect(lookUps).toEqual({ of: 1, ofOrder: 0 });
  await say("a fox");
  expect(lookUps).toEqual({ of: 2, ofOrder: 0 });
  await say("a fox in the snow");
  expect(lookUps).toEqual({ of: 3, ofOrder: 0 });
  const pay = [...buttons().values()].find((one) => cardData.decode(one)?.action === "pay") ?? "";
  await tap(pay, drafts.composing(ANN.id, ANN.id)?.messageId ?? 0);
  expect(lookUps).toEqual({ of: 4, ofOrder: 0 });
  for (const id of fakeService.jobs.keys()) fakeService.finish(id);
  await eventually("the picture", () => calls.some(({ method }) => method === "sendPhoto"));
  expect(lookUps).toEqual({ of: 4, ofOrder: 1 });
});
