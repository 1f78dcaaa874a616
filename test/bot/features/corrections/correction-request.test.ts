import { expect, test } from "vitest";
import { readCorrection } from "../../../../src/bot/features/corrections.js";

const REPLIED = { id: 7 };
const ANNA = { id: 102, name: "Anna", username: "anna", locale: "en" };
const people = {
  find: (id: number) => (id === 102 ? ANNA : undefined),
  findByUsername: (name: string) => (name.toLowerCase() === "anna" ? ANNA : undefined),
};
const read = (text: string, replied?: { id: number }) => readCorrection(text, { replied, people });

test.each([
  ["@boris 50", { person: { username: "boris" }, kopecks: 5000, reason: null }],
  ["Anna 50", { person: { username: "Anna" }, kopecks: 5000, reason: null }],
  ["102 12,5 for an idea", { person: { id: 102 }, kopecks: 1250, reason: "for an idea" }],
  ["  @boris\n0.01  x ", { person: { username: "boris" }, kopecks: 1, reason: "x" }],
  [
    "@boris 10 2 films that failed",
    { person: { username: "boris" }, kopecks: 1000, reason: "2 films that failed" },
  ],
])("%j names a person, an amount and an optional reason", (text, request) => {
  expect(read(text)).toEqual(request);
});

test.each([
  ["", { fault: "empty", word: "" }],
  ["boris 50", { fault: "person", word: "boris" }],
  ["@bo! 50", { fault: "person", word: "@bo!" }],
  ["@boris", { fault: "amount_missing", word: "" }],
  ["50", { fault: "amount_missing", word: "" }],
  ["@boris сто", { fault: "amount", word: "сто" }],
  ["@boris -5", { fault: "amount", word: "-5" }],
  ["@boris 0", { fault: "amount", word: "0" }],
  ["@boris 1.234", { fault: "amount", word: "1.234" }],
  ["@boris 1e3", { fault: "amount", word: "1e3" }],
  ["@boris 10 50", { fault: "amount_twice", word: "50" }],
  ["@boris 10 50,5 ₽", { fault: "amount_twice", word: "50,5 ₽" }],
  ["@boris 10 +7 900 123", { fault: "amount_twice", word: "+7 900 123" }],
  ["@boris 1 000", { fault: "amount_split", word: "1 000" }],
  ["@boris 1 000 for the prints", { fault: "amount_split", word: "1 000" }],
  ["@boris 1\u00a0000", { fault: "amount_split", word: "1 000" }],
  ["@boris 12 500,50", { fault: "amount_split", word: "12 500,50" }],
])("%j is rejected, and the error names the wrong part", (text, fault) => {
  expect(read(text)).toEqual(fault);
});

test.each([
  ["7 for a laugh", { person: REPLIED, kopecks: 700, reason: "for a laugh" }],
  ["@boris 7", { person: { username: "boris" }, kopecks: 700, reason: null }],
  ["anna 7", { person: { username: "anna" }, kopecks: 700, reason: null }],
  ["anna", { fault: "amount", word: "anna" }],
  ["5 7", { fault: "two_meanings", word: "5" }],
  ["102", { fault: "two_meanings", word: "102" }],
  ["all", { fault: "amount", word: "all" }],
  ["1 000", { fault: "two_meanings", word: "1" }],
])("%j in a reply refers to the author of the replied message where that is unambiguous", (text, request) => {
  expect(read(text, REPLIED)).toEqual(request);
});
