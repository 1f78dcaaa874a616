import { expect, test } from "vitest";
import type { Order } from "../../../../src/bot/orders/order.js";
import { stageOf, statusText } from "../../../../src/bot/orders/status-messages.js";
import { loadTexts } from "../../../../src/bot/texts/texts.js";
import type { GatewayJob } from "../../../../src/ports/gateway.js";

const english = loadTexts("locales", "en").in("en");
const ORDER = {
  modelTitle: "Nano <2>",
  userName: "Ann & co",
  quotedKopecks: 1200,
  request: { type: "image" },
};

test.each([
  [7, "<b>Nano &lt;2&gt;</b> · 12\u00a0₽"],
  [-1001, "<b>Nano &lt;2&gt;</b> · 12\u00a0₽ · Ann &amp; co"],
])("in chat %i the status message begins with what it is, and in a group with whose", (chatId, title) => {
  expect(
    statusText({ ...ORDER, chatId } as Order, [], { stage: "sent", elapsedMs: 0 }, english).split("\n")[0],
  ).toBe(title);
});

const job = (facts: Partial<GatewayJob>) => ({ status: "generating", ...facts }) as GatewayJob;

const SENT = [job({ status: "queued" })];

test.each<[string, GatewayJob[], string[], number?]>([
  ["a job that is not begun was sent", SENT, ["⏳ Sent… 0:07"]],
  ["so was one whose service says nothing yet", [job({ waiting: {} })], ["⏳ Sent… 0:07"]],
  ["a long wait is told", SENT, ["⏳ Sent… 1:00", "This may take a while."], 60_000],
  [
    "its place is told where it is known",
    [job({ waiting: { position: 3 } })],
    ["⏳ Place in the queue: 3 · 0:07"],
  ],
  ["no place is before the first one", [job({ waiting: { position: 0 } })], ["⏳ Sent… 0:07"]],
  [
    "of several the place of the first is told",
    [job({ waiting: { position: 9 } }), job({ waiting: { position: 4 } }), job({ status: "queued" })],
    ["⏳ Place in the queue: 4 · 0:07"],
  ],
  [
    "a service that is away is told",
    [job({ waiting: { isAway: true } }), job({ status: "queued" })],
    ["⏳ The service isn’t available right now. I’ll start as soon as it’s back."],
  ],
  [
    "so it is where some are being made or done",
    [job({ waiting: { isAway: true } }), job({ status: "done" })],
    [
      "🎨 Generating… 0:07",
      "1 of 2 ready",
      "⏳ The service isn’t available right now. I’ll start as soon as it’s back.",
    ],
  ],
  [
    "one that is being made ends the wait",
    [job({ waiting: { position: 9 } }), job({})],
    ["🎨 Generating… 0:07", "0 of 2 ready"],
  ],
  ["hours are told as such", [job({})], ["🎨 Generating… 1:02:40"], 3_760_000],
])("%s", (_name, jobs, lines, elapsedMs = 7000) => {
  const progress = { stage: stageOf(jobs), elapsedMs };
  const text = statusText({ ...ORDER, chatId: 7 } as Order, jobs, progress, english);
  expect(text.split("\n").slice(1)).toEqual(lines);
});

test("a place that is not told any more leaves the order in the queue", () => {
  const text = statusText({ ...ORDER, chatId: 7 } as Order, SENT, { stage: "queued", elapsedMs: 0 }, english);
  expect(text).toContain("⏳ In the queue… 0:00");
});
