import { expect, test } from "vitest";
import type { Order } from "../../../../src/bot/orders/store/order.js";
import { statusText } from "../../../../src/bot/orders/tracking/status-text.js";
import { loadTexts } from "../../../../src/bot/texts.js";

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
  expect(statusText({ ...ORDER, chatId } as Order, [], 0, english).split("\n")[0]).toBe(title);
});
