import { expect, test } from "vitest";
import { setProfile } from "../../../src/bot/start-bot.js";
import { codePoints } from "../../../src/bot/texts/html.js";
import { t, texts } from "../../support/drafts.js";
import { FakeTelegram } from "../../support/fake-telegram.js";

test.each(texts.languages)("the texts in $code are within Telegram's limits", (language) => {
  expect(codePoints(language.t("profile-description"))).toBeLessThanOrEqual(512);
  expect(codePoints(language.t("profile-short"))).toBeLessThanOrEqual(120);
});

test("each language gets its description, and all others the default one", async () => {
  const telegram = new FakeTelegram();
  telegram.answer("getMyDescription", { description: "" });
  telegram.answer("getMyShortDescription", { short_description: "" });
  await setProfile(telegram.api, texts);
  const set = (method: string) => telegram.payloadsOf(method).map(({ language_code }) => language_code);
  expect([set("setMyDescription"), set("setMyShortDescription")]).toEqual([
    [undefined, "en", "ru"],
    [undefined, "en", "ru"],
  ]);
  expect(telegram.payloadsOf("setMyDescription").at(-1)?.description).toBe(
    texts.in("ru").t("profile-description"),
  );
});

test("what is right already is not set again", async () => {
  const telegram = new FakeTelegram();
  telegram.answer("getMyDescription", { description: t("profile-description") });
  telegram.answer("getMyShortDescription", { short_description: t("profile-short") });
  await setProfile(telegram.api, texts);
  expect(telegram.payloadsOf("setMyDescription").map(({ language_code }) => language_code)).toEqual(["ru"]);
});
