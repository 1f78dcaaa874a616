import { expect, test, vi } from "vitest";
import { ANN, BORIS, IN_GROUP, openBotHarness } from "../support/bot-harness.js";
import { refusal } from "../support/bot-world.js";
import { t } from "../support/drafts.js";
import { recordingLogger } from "../support/log.js";
import { turnOfEvents } from "../support/manual-clock.js";

const FLOOD = refusal(429, "Too Many Requests: retry after 40", { retry_after: 40 });

test("a group that takes no messages does not delay the private chats of its members", async () => {
  const harness = openBotHarness();
  const release = harness.telegram.hold("sendMessage");
  const inTheGroup = harness.say("/help@atelier_bot", ANN, IN_GROUP);
  await turnOfEvents();
  await harness.tap("unknown:1");
  expect(harness.answered()).toEqual([t("tap-unknown")]);
  release();
  await inTheGroup;
});

test("what people say to each other in a group waits for nothing", async () => {
  const harness = openBotHarness();
  const release = harness.telegram.hold("sendMessage");
  const answering = harness.say("/help@atelier_bot", ANN, IN_GROUP);
  await turnOfEvents();
  const before = harness.calls.length;
  await harness.say("how are you?", BORIS, IN_GROUP);
  await harness.say("/help@other_bot", BORIS, IN_GROUP);
  await harness.handle({ edited_message: harness.message({ text: "fine", ...IN_GROUP }, BORIS) as never });
  expect(harness.calls).toHaveLength(before);
  expect(harness.parts.people.find(BORIS.id)).toBeUndefined();
  release();
  await answering;
});

test("a flooded group is told nothing more, and is no error in the log", async () => {
  const { logger, lines } = recordingLogger();
  const harness = openBotHarness({ logger });
  harness.telegram.failNext("sendMessage", FLOOD);
  await harness.say("/help@atelier_bot", ANN, IN_GROUP);
  expect(harness.telegram.callsOf("sendMessage")).toHaveLength(1);
  expect(lines.map(({ level, msg }) => ({ level, msg }))).toEqual([
    { level: 30, msg: "group in flood wait, not answered" },
  ]);
});

test("a tap in a flooded group is answered with the reason", async () => {
  const harness = openBotHarness();
  vi.spyOn(harness.parts.orders, "find").mockImplementation(() => {
    throw FLOOD;
  });
  await harness.tap("r:order-1:a", undefined, ANN, IN_GROUP);
  expect(harness.answered()).toEqual([t("fault-group-flooded")]);
});
