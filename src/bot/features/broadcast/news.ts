import { Composer, InlineKeyboard } from "grammy";
import type { BotContext } from "../../context.js";
import type { Feature } from "../../feature.js";
import { taps } from "../../middleware/taps.js";
import type { NewsOptOuts } from "../../people/opt-out-table.js";
import { callbackData } from "../../telegram/callback-data.js";
import { isPrivate } from "../../telegram/place.js";
import { answerTap } from "../../telegram/tap-answers.js";
import type { Language } from "../../texts/texts.js";
import type { SettingsEntry } from "../settings/settings.js";
import type { BroadcastAudience } from "./audience.js";

/** Encodes the buttons that switch news: `nw:off` below a message, `nw:turn` in the settings. */
const newsTap = callbackData<{ action: "off" | "turn" }>({
  prefix: "nw",
  encode: ({ action }) => [action],
  decode: ([action, ...rest]) =>
    rest.length === 0 && (action === "off" || action === "turn") ? { action } : undefined,
});

/** The entry of `/settings`. */
export const NEWS_ENTRY: SettingsEntry = {
  label: "button-news",
  data: newsTap.encode({ action: "turn" }),
};

/** Draws the button below news. Important messages have none. */
export function newsKeyboard({ kind }: BroadcastAudience, { t }: Language): InlineKeyboard | undefined {
  return kind === "news"
    ? new InlineKeyboard().text(t("button-news-off"), newsTap.encode({ action: "off" }))
    : undefined;
}

/** Lets people say that they want no news, below each and in the settings. */
export function newsFeature(optOuts: NewsOptOuts): Feature {
  const composer = new Composer<BotContext>();
  composer.use(
    taps(newsTap, async (ctx, { action }, next) => {
      if (!isPrivate(ctx)) return next();
      const isOut = action === "off" || !optOuts.isOut(ctx.person.id);
      await optOuts.set(ctx.person.id, isOut);
      await answerTap(ctx, ctx.language.t(isOut ? "news-off" : "news-on"), { isAlert: true });
    }),
  );
  return { name: "news", callbackPrefixes: [newsTap.prefix], composer };
}
