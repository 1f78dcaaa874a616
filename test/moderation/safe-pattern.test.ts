import { describe, expect, test } from "vitest";
import { compileSafePattern, PatternError } from "../../src/moderation/safe-pattern.js";
import fc from "../support/fast-check.js";

const pause = async () => {};

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
  ])("%s finds %j and not %j", async (source, found, other) => {
    const pattern = compileSafePattern(source);
    expect([await pattern.isIn(found, pause), await pattern.isIn(other, pause)]).toEqual([true, false]);
  });

  test.each([
    "a*",
    "a{1,}",
    "a{0,201}",
    "a{3,2}",
    "a{x}",
    "a??",
    "(a|a){0,60}",
    "(.{0,60}){0,60}",
    ".{0,100}.{0,100}a",
    "(?=a)",
    "\\1",
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
    "\\",
  ])("%s is refused in words", (source) => expect(() => compileSafePattern(source)).toThrow(PatternError));

  test("is refused, or compiles and never fails, whatever it is", async () => {
    const piece = fc.constantFrom(..."aя.()[]|?^-*", "{0,9}", "{2}", "\\b", "\\w");
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 12 }),
        fc.string({ maxLength: 50 }),
        async (pieces, text) => {
          try {
            await compileSafePattern(pieces.join("")).isIn(text, pause);
          } catch (error) {
            expect(error).toBeInstanceOf(PatternError);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test("takes no more steps than it says: the worst text of 20 000 letters ends", async () => {
    const { isIn, steps } = compileSafePattern("(?:a|a|a){0,6}b");
    expect(steps).toBeLessThanOrEqual(4000);
    expect(await isIn("a".repeat(20_000), pause)).toBe(false);
    expect(await isIn(`${"a".repeat(20_000)}b`, pause), "at the end of a long text").toBe(true);
  });
});
