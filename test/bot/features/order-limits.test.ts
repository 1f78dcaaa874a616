import { expect, test } from "vitest";
import { cardData } from "../../../src/bot/card/callback-data.js";
import { TooManyOrdersError } from "../../../src/contract/errors.js";
import { ANN, openBotHarness } from "../../support/bot-harness.js";
import { texts } from "../../support/drafts.js";

test("a limit of orders is told once a minute, then taps are answered in silence, and the card stays payable", async () => {
  const { say, tap, buttons, answered, clock, parts } = openBotHarness({
    gateway: { submit: () => Promise.reject(new TooManyOrdersError("active", 3)) },
  });
  await say("a red fox");
  const pay = async () => {
    const data = [...buttons().values()].find((one) => cardData.decode(one)?.action === "pay") ?? "";
    await tap(data, parts.drafts.composing(ANN.id, ANN.id)?.messageId ?? 0);
    return answered().at(-1);
  };
  const words = texts.in("en").t("too-many-active", { max: 3 });
  expect(await pay()).toBe(words);
  expect(await pay()).toBeUndefined();
  await clock.advance(60_000);
  expect(await pay()).toBe(words);
  expect(parts.drafts.composing(ANN.id, ANN.id)?.state).toBe("composing");
});
