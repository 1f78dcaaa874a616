import { expect, test } from "vitest";
import { readBanTerms } from "../../../../src/bot/features/bans.js";

const NOW = Date.UTC(2026, 10, 24, 12);
const DAY = 24 * 3600 * 1000;
const read = (words: string, sentAt = NOW) => readBanTerms(words, { sentAt, now: NOW });

test.each([
  ["", { reason: null, until: null }],
  ["spam", { reason: "spam", until: null }],
  ["too  much\nspam 7d", { reason: "too much spam", until: NOW + 7 * DAY }],
  ["12H", { reason: null, until: NOW + DAY / 2 }],
  ["спам 12ч", { reason: "спам", until: NOW + DAY / 2 }],
  ["7Д", { reason: null, until: NOW + 7 * DAY }],
  ["2н", { reason: null, until: NOW + 14 * DAY }],
  ["2w", { reason: null, until: NOW + 14 * DAY }],
  ["spam 2026-12-31", { reason: "spam", until: Date.UTC(2026, 11, 31) }],
  ["was rude in 2025", { reason: "was rude in 2025", until: null }],
])("%j is read as a reason and a time", (words, terms) => {
  expect(read(words)).toEqual(terms);
});

test.each(["2026-11-24", "2026-13-01", "0d"])("%j is refused: it is no time to come", (word) => {
  expect(read(`spam ${word}`)).toEqual({ wrongUntil: word });
});

test("a duration counts from when it was sent, so a command that is handled again means the same", () => {
  expect(read("7d", NOW - 60_000)).toEqual({ reason: null, until: NOW - 60_000 + 7 * DAY });
});
