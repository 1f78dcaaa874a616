import { expect, test } from "vitest";
import type { Order } from "../../../../src/bot/orders/store/order.js";
import { statusText } from "../../../../src/bot/orders/tracking/status-text.js";
import { loadTexts } from "../../../../src/bot/texts.js";
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
    statusText({ ...ORDER, chatId } as Order, [], { runningMs: 0, waitingMs: 0 }, english).split("\n")[0],
  ).toBe(title);
});

const job = (facts: Partial<GatewayJob>) => ({ status: "generating", ...facts }) as GatewayJob;

test.each<[string, GatewayJob[], string, number?]>([
  ["a job that is not begun waits", [job({ status: "queued" })], "⏳ In the queue…"],
  ["a long wait is told", [job({ waiting: {} })], "⏳ In the queue… This may take a while.", 60_000],
  ["so does one that waits at its service", [job({ waiting: {} })], "⏳ In the queue…"],
  ["its place is told where it is known", [job({ waiting: { position: 3 } })], "⏳ Place in the queue: 3"],
  ["no place is before the first one", [job({ waiting: { position: 0 } })], "⏳ In the queue…"],
  [
    "of several the place of the first is told",
    [job({ waiting: { position: 9 } }), job({ waiting: { position: 4 } }), job({ status: "queued" })],
    "⏳ Place in the queue: 4",
  ],
  [
    "a service that is away is told",
    [job({ waiting: { isAway: true } }), job({ status: "queued" })],
    "⏳ The service isn’t available right now. I’ll keep trying…",
  ],
  [
    "one that is being made ends the wait",
    [job({ waiting: { position: 9 } }), job({})],
    "🎨 Generating… 0:07",
  ],
])("%s", (_name, jobs, text, waitingMs = 5000) => {
  const lines = statusText(
    { ...ORDER, chatId: 7 } as Order,
    jobs,
    { runningMs: 7000, waitingMs },
    english,
  ).split("\n");
  expect(lines[1]).toBe(text);
});
