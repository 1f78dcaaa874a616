import { describe, expect, test } from "vitest";
import type { ModeratedPlace, Moderation } from "../../../src/moderation/moderation.js";
import { openBotHarness, PHOTO } from "../../support/bot-harness.js";
import { t } from "../../support/drafts.js";

const REFUSED = t("refused-content_refused");

/** Refuses what has the word in it, and remembers what it was asked about. */
function refusingWord(word: string): Moderation & { asked: [readonly string[], ModeratedPlace][] } {
  const asked: [readonly string[], ModeratedPlace][] = [];
  return {
    asked,
    async allows(given, place) {
      asked.push([given, place]);
      return !given.some((text) => text.includes(word));
    },
  };
}

function open() {
  const moderation = refusingWord("forbidden");
  return { ...openBotHarness({ moderation }), moderation };
}

describe("words that the operator's rules refuse", () => {
  test.each(["a forbidden fox", "/image a forbidden fox", "make a video of a forbidden fox"])(
    "open no card and show no price: %s",
    async (text) => {
      const { say, said, card } = open();
      await say(text);
      expect(said()).toEqual([REFUSED]);
      expect(card()).toBeUndefined();
    },
  );

  test("leave the open card as it was, also in an edit of the message", async () => {
    const { say, edit, said, card, telegram } = open();
    await say("a red fox");
    const before = card();
    await say("a forbidden fox");
    expect(said().at(-1)).toBe(REFUSED);
    await edit(before.promptMessageId ?? 0, "a forbidden fox");
    expect(said()).toHaveLength(3);
    expect(said().at(-1)).toBe(REFUSED);
    expect(card()).toEqual(before);
    expect(telegram.payloadsOf("editMessageText")).toEqual([]);
  });

  test("are refused in the caption of a photo, beside an open card too", async () => {
    const { say, send, said, card } = open();
    await send({ photo: PHOTO, caption: "a forbidden fox" });
    expect(said()).toEqual([REFUSED]);
    expect(card()).toBeUndefined();
    await say("a red fox");
    const before = card();
    await send({ photo: PHOTO, caption: "a forbidden fox" });
    expect(said().at(-1)).toBe(REFUSED);
    expect(card()).toEqual(before);
  });

  test("do not keep a person from commands or from words for admins", async () => {
    const { say, said, moderation } = open();
    await say("/balance forbidden");
    await say("/help");
    expect(said()).not.toContain(REFUSED);
    expect(moderation.asked).toEqual([]);
  });
});
