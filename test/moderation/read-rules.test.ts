import { expect, test } from "vitest";
import { readRules, WordList } from "../../src/moderation/word-list.js";

const refusing = async (rules: string, text: string) =>
  (await new WordList(readRules("r.txt", rules)).refusing(text))?.line;

test.each([
  ["anton", "I see Anton.", true],
  ["anton", "antonia", false],
  ["anton*", "Antonia", true],
  ["big cat", "a BIG, cat!", true],
  ["big cat", "a big black cat", false],
  ["big cat*", "big cats", true],
  ["a1|b2 + c33*", "c333 of b2", true],
  ["a1 + c3", "c3 only", false],
  ["same + same", "same", false],
  ["far + away", `far ${"x ".repeat(20)}away`, false],
  ["anton*\n!antonia", "antonia", false],
  ["anton*\n!antonia", "antonia and anton", true],
  ["ёж", "ЕЖ", true],
  ["/k.{0,3}ll/", "kxyll", true],
  ["# anton", "anton", false],
  ["мама", "mama мыла раму утром", true],
  ["рот", "pot of gold", false],
  ["pot", "рот открыт", false],
  ["anton", "a-n-t-o-n", true],
  ["anton", "xa n t o n", false],
  ["anton", "see a n t o n here", true],
])("the rule %j and the text %j: refused %j", async (rules, text, isRefused) => {
  expect((await refusing(rules, text)) !== undefined).toBe(isRefused);
});

test.each([
  ["ok\nan*", "r.txt: line 2: an* begins too many words: at least 3 letters"],
  ["a*b", 'r.txt: line 1: "a*b" is no word: letters and digits, and a * at its end for any ending'],
  ["/a+/", "r.txt: line 1: + repeats without an end: write {0,40} or the like"],
  ["/a", "r.txt: line 1: a pattern stands between two slashes"],
  ["!two words", "r.txt: line 1: an exception is one word"],
  ["a b c d e f g", "r.txt: line 1: more than 6 words: shorten it"],
  ["one two + three", 'r.txt: line 1: "one two" is not one word'],
  ["—", 'r.txt: line 1: "—" is no word: letters and digits, and a * at its end for any ending'],
])("the file %j is refused in one line", (rules, message) => {
  expect(() => readRules("r.txt", rules)).toThrow(message);
});

test("a text of 20 000 letters against 10 000 rules is looked at once", async () => {
  const rules = Array.from({ length: 10_000 }, (_, index) => `word${index}*`).join("\n");
  const text = "wor d wordy ".repeat(1700);
  expect(await refusing(rules, text)).toBeUndefined();
  expect(await refusing(rules, `${text} word77`)).toBe(78);
});
