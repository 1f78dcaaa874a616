import { describe, expect, test } from "vitest";
import type { ModeratedPlace, Moderation } from "../../../src/moderation/moderation.js";
import { ANN, openBotHarness } from "../../support/bot-harness.js";
import { texts } from "../../support/drafts.js";

const REFUSED = texts.in("en").t("refused-content_refused");

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
  const harness = openBotHarness({ moderation });
  const draft = () => harness.parts.drafts.composing(ANN.id, ANN.id);
  return { ...harness, moderation, draft };
}

describe("words that the operator's rules refuse", () => {
  test.each(["a forbidden fox", "/image a forbidden fox", "make a video of a forbidden fox"])(
    "open no card and show no price: %s",
    async (text) => {
      const { say, said, draft } = open();
      await say(text);
      expect(said()).toEqual([REFUSED]);
      expect(draft()).toBeUndefined();
    },
  );

  test("leave the open card as it was", async () => {
    const { say, said, draft } = open();
    await say("a red fox");
    const before = draft();
    await say("a forbidden fox");
    expect(said().at(-1)).toBe(REFUSED);
    expect(draft()).toEqual(before);
  });

  test("are refused in an edit of the message too", async () => {
    const { say, edit, said, draft, telegram } = open();
    await say("a red fox");
    const messageId = draft()?.promptMessageId ?? 0;
    expect(messageId).toBeGreaterThan(0);
    await edit(messageId, "a forbidden fox");
    expect(said().at(-1)).toBe(REFUSED);
    expect(draft()?.parameters.prompt).toBe("a red fox");
    expect(telegram.payloadsOf("editMessageText").length).toBe(0);
  });

  test("are refused in the caption of a photo", async () => {
    const { send, said, draft } = open();
    const photo = [{ file_id: "p", file_unique_id: "u", width: 64, height: 64, file_size: 100 }];
    await send({ photo, caption: "a forbidden fox" });
    expect(said()).toEqual([REFUSED]);
    expect(draft()).toBeUndefined();
  });

  test("do not keep a person from commands or from words for admins", async () => {
    const { say, said, moderation } = open();
    await say("/balance forbidden");
    await say("/help");
    expect(said()).not.toContain(REFUSED);
    expect(moderation.asked).toEqual([]);
  });
});
