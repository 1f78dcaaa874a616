import { expect, test } from "vitest";
import { trackTitle } from "../../../../src/bot/orders/delivery/outgoing-file.js";

const PIES = "Весёлая песня про бабушкины пирожки, балалайка, женский…";

test.each<[string, string, number | undefined, string]>([
  ["of one track stays", "Night Train", undefined, "Night Train"],
  ["is one line", " Night \n Train ", undefined, "Night Train"],
  ["of several is numbered first", "Night Train", 1, "1. Night Train"],
  ["that is numbered at its end is numbered once", "Night Train (2)", 2, "2. Night Train"],
  ["keeps a number of its own", "Apollo (2)", 1, "1. Apollo (2)"],
  ["that is long ends with its first phrase", PIES, 1, "1. Весёлая песня про бабушкины пирожки"],
  ["with a comma stays whole where it is short", "Ночь, улица, фонарь", 2, "2. Ночь, улица, фонарь"],
  [
    "without a comma ends at a word",
    "a quiet song about a night train that never stops",
    undefined,
    "a quiet song about a night train that…",
  ],
  [
    "whose first phrase says nothing ends at a word",
    `Oh, ${"la ".repeat(20)}`,
    undefined,
    `Oh, ${"la ".repeat(11)}la…`,
  ],
  ["of one long word is cut", "ш".repeat(60), undefined, `${"ш".repeat(39)}…`],
])("a title %s", (_name, title, number, expected) => {
  expect(trackTitle(title, number)).toBe(expected);
});
