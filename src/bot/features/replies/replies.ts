import { Composer } from "grammy";
import { type CardDeps, openKind } from "../../card/open-kind.js";
import { type BotContext, isPrivate, textOf } from "../../context.js";
import type { Feature } from "../../feature.js";
import { readLinks } from "../../form/parse-links.js";
import { cleanText } from "../../html.js";
import type { OrderService } from "../../orders/order-service.js";
import { PictureRefusedError, type Pictures } from "../../pictures/pictures.js";
import { type RepliedPicture, readablePicture, repliedPicture } from "../../pictures/replied-picture.js";
import { withoutMention } from "../../telegram/mention.js";

interface RepliesDeps extends CardDeps {
  orders: OrderService;
  pictures: Pictures;
}

/** A text reply to a picture opens a card with that picture and text. */
export function repliesFeature(deps: RepliesDeps): Feature {
  const composer = new Composer<BotContext>();
  composer.on("message", async (ctx, next) => {
    const replied = repliedPicture(ctx, deps.orders.orders);
    const words = replied && wordsTo(ctx, replied);
    if (!replied || !words) return next();
    try {
      const picture = await readablePicture(replied, ctx, deps);
      await openKind(ctx, { type: "image", text: words, pictures: [picture] }, deps);
    } catch (error) {
      if (!(error instanceof PictureRefusedError)) throw error;
      await ctx.reply(ctx.language.t(`picture-${error.fault}`));
    }
  });
  return { name: "replies", composer };
}

/** Undefined when the text is not for the bot: people may discuss a result in a group. */
function wordsTo(ctx: BotContext, { isOwnResult }: RepliedPicture): string | undefined {
  const text = cleanText(textOf(ctx) ?? "");
  if (text === "" || text.startsWith("/") || readLinks(text)) return undefined;
  if (isPrivate(ctx)) return text;
  return withoutMention(text, ctx.me.username) ?? (isOwnResult ? text : undefined);
}
