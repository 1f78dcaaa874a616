import type { Api } from "grammy";
import type { Language, Texts } from "../texts/texts.js";

/**
 * Sets what Telegram shows of the bot in an empty chat, its profile and shared links, in each language and for all
 * others. What is right already is not set, because Telegram takes few such changes a day.
 */
export async function setProfile(api: Api, texts: Texts): Promise<void> {
  await describe(api, texts.in(undefined), {});
  for (const language of texts.languages)
    await describe(api, language, { language_code: language.code as "en" });
}

async function describe(
  api: Api,
  { t }: Language,
  where: Partial<Parameters<Api["getMyDescription"]>[0]>,
): Promise<void> {
  const description = t("profile-description");
  const short = t("profile-short");
  const [now, nowShort] = await Promise.all([api.getMyDescription(where), api.getMyShortDescription(where)]);
  if (now.description !== description) await api.setMyDescription(description, where);
  if (nowShort.short_description !== short) await api.setMyShortDescription(short, where);
}
