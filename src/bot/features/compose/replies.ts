import { Composer } from "grammy";
import { BoundedMap } from "../../../platform/bounded-map.js";
import { parseLinks } from "../../card/form/parse-links.js";
import { type BotContext, textOf } from "../../context.js";
import type { Feature } from "../../feature.js";
import { taps } from "../../middleware/taps.js";
import { withoutMention } from "../../telegram/mention.js";
import { isPrivate } from "../../telegram/place.js";
import { cleanText } from "../../texts/html.js";
import { copyData } from "./copy-data.js";
import { beginCopy, offerCopy, type RepliesDeps } from "./offer-copy.js";
import { openKind } from "./open-kind.js";
import { type RepliedPicture, readablePicture, repliedPicture } from "./replied-picture.js";

/** The number of remembered offers of a copy, so that each person gets one for an order. */
const OFFERS_REMEMBERED = 1000;

/** Opens a card with the picture that a text replies to, and with that text. */
export function repliesFeature(deps: RepliesDeps): Feature {
  const offered = new BoundedMap<string, true>(OFFERS_REMEMBERED);
  const composer = new Composer<BotContext>();
  composer.use(taps(copyData, (ctx, data) => beginCopy(ctx, data, deps)));
  composer.on("message", async (ctx, next) => {
    const replied = repliedPicture(ctx, deps.orders);
    const words = replied && wordsTo(ctx, replied);
    if (replied?.other && !words && isAboutPicture(ctx)) {
      const key = `${ctx.person.id}:${replied.other.order.id}`;
      if (offered.get(key)) return;
      offered.set(key, true);
      return offerCopy(ctx, replied.other);
    }
    if (!replied || !words) return next();
    const picture = await readablePicture(replied, ctx, deps);
    const { pictureMessages } = replied;
    await openKind(ctx, { type: "image", text: words, pictures: [picture], pictureMessages }, deps);
  });
  return { name: "replies", callbackPrefixes: [copyData.prefix], composer };
}

function isAboutPicture(ctx: BotContext): boolean {
  const text = cleanText(textOf(ctx) ?? "");
  return text !== "" && !text.startsWith("/") && !parseLinks(text);
}

/** Reads the words for the bot. Undefined for other texts: people may discuss a result in a group. */
function wordsTo(ctx: BotContext, { isOwnResult }: RepliedPicture): string | undefined {
  const text = cleanText(textOf(ctx) ?? "");
  if (text === "" || text.startsWith("/") || parseLinks(text)) return undefined;
  if (isPrivate(ctx)) return text;
  return withoutMention(text, ctx.me.username) ?? (isOwnResult ? text : undefined);
}
