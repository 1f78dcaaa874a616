import { expect, test } from "vitest";
import { type TelegramFailure, telegramFailure } from "../../../src/bot/telegram/failure.js";
import { brokenConnection, refusal } from "../../support/bot-world.js";

/** What Telegram says when a message of an album fails. */
function album(inner: string, number = 1): string {
  return `Bad Request: failed to send message #${number} with the error message "${inner}"`;
}

const IN_ALBUM: [string, TelegramFailure][] = [
  ["USER_IS_BLOCKED", { kind: "blocked" }],
  ["INPUT_USER_DEACTIVATED", { kind: "blocked" }],
  ["PEER_ID_INVALID", { kind: "no_chat" }],
  ["Too Many Requests: retry after 8", { kind: "wait", retryAfterMs: 8000 }],
  ["FLOOD_WAIT_9", { kind: "wait", retryAfterMs: 9000 }],
  ["Message was not sent", { kind: "again" }],
  ["IMAGE_PROCESS_FAILED", { kind: "refused", description: album("IMAGE_PROCESS_FAILED", 2) }],
];

test.each(IN_ALBUM)("an album failure is classified by the error of its message: %s", (inner, failure) => {
  expect(telegramFailure(refusal(400, album(inner, 2)))).toEqual(failure);
});

const JUDGED: [Error, TelegramFailure][] = [
  [refusal(429, "Too Many Requests", { retry_after: 17 }), { kind: "wait", retryAfterMs: 17_000 }],
  [refusal(429, "Too Many Requests", { retry_after: 0 }), { kind: "wait", retryAfterMs: 1000 }],
  [refusal(429, "Too Many Requests"), { kind: "wait", retryAfterMs: 1000 }],
  [refusal(403, "Forbidden: bot was blocked by the user"), { kind: "blocked" }],
  [refusal(400, "Bad Request: USER_IS_BLOCKED"), { kind: "blocked" }],
  [refusal(403, album("User is deactivated").replace("Bad Request", "Forbidden")), { kind: "blocked" }],
  [refusal(400, "Bad Request: group send failed"), { kind: "again" }],
  [refusal(400, "Bad Request: chat not found"), { kind: "no_chat" }],
  [refusal(400, "Bad Request: group upgraded", { migrate_to_chat_id: -7 }), { kind: "moved", chatId: -7 }],
  [refusal(400, "Bad Request: wrong file"), { kind: "refused", description: "Bad Request: wrong file" }],
  [refusal(413, "Request Entity Too Large"), { kind: "refused", description: "Request Entity Too Large" }],
  // Codes that say nothing about the call itself.
  ...[401, 404, 408, 409, 420, 500, 502].map((code): [Error, TelegramFailure] => [
    refusal(code, "odd"),
    { kind: "again" },
  ]),
  [refusal(undefined as unknown as number, "an answer without a code"), { kind: "again" }],
  [brokenConnection(), { kind: "again" }],
];

test.each(JUDGED)("%s is classified", (error, failure) => {
  expect(telegramFailure(error)).toEqual(failure);
});

test("a programming error is not a Telegram failure", () => {
  expect(() => telegramFailure(new TypeError("a bug"))).toThrow("a bug");
});
