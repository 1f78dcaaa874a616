import { describe, expect, test } from "vitest";
import { compileSafePattern, PatternError } from "../../src/moderation/safe-pattern.js";
import fc from "../support/fast-check.js";

describe("a pattern", () => {
  test.each([
    ["\\bголая?\\b", "голая", "голаяна"],
    ["kill.{0,10}all", "kill them all", "kill absolutely not all"],
    ["(?:a|b)c?d", "bcd", "ccd"],
    ["[a-cё]x", "еx", "dx"],
    ["[^ab]z", "cz", "az"],
    ["\\d{2,3}-\\w", "12-я", "1-я"],
    ["a\\.b\\/c", "a.b/c", "a-b/c"],
    ["п{2}", "пп", "п"],
  ])("%s finds %j and not %j", (source, found, other) => {
    const { regExp } = compileSafePattern(source);
    expect([regExp.test(found), regExp.test(other)]).toEqual([true, false]);
  });

  test.each([
    "a*",
    "a+",
    "a{1,}",
    "(a+)+",
    "a{0,201}",
    "a{3,2}",
    "a{x}",
    "a??",
    "(a|a){0,60}",
    "(.{0,60}){0,60}",
    ".{0,100}.{0,100}a",
    "(?=a)",
    "(?<n>a)",
    "\\1",
    "\\p{L}",
    "a)",
    "(a",
    "[a",
    "[]",
    "[b-a]",
    "[\\w]",
    "()",
    "",
    "^a",
    "a$",
    "?a",
    "\\",
  ])("%s is refused in words", (source) => expect(() => compileSafePattern(source)).toThrow(PatternError));

  test("is refused, or compiles and never fails, whatever it is", () => {
    const piece = fc.constantFrom(
      "a",
      "я",
      ".",
      "(",
      ")",
      "[",
      "]",
      "|",
      "?",
      "{0,9}",
      "{2}",
      "\\b",
      "\\w",
      "^",
      "-",
      "*",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.string({ maxLength: 50 }), (pieces, text) => {
        try {
          compileSafePattern(pieces.join("")).regExp.test(text);
        } catch (error) {
          expect(error).toBeInstanceOf(PatternError);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("takes no more steps than it says: the worst text of 20 000 letters ends", () => {
    const { regExp, steps } = compileSafePattern("(?:a|a|a){0,6}b");
    expect(steps).toBeLessThanOrEqual(4000);
    expect(regExp.test("a".repeat(20_000))).toBe(false);
  });
});
