import { type CommandContext, Composer } from "grammy";
import type { GenerationType } from "../../../contract/model.js";
import type { CardMessages } from "../../card/card-messages.js";
import { refusalText } from "../../card/missing-text.js";
import { type BotContext, placeOf } from "../../context.js";
import type { Feature } from "../../feature.js";
import { heldBack } from "../../form/apply-message.js";
import type { Parameters } from "../../form/fields.js";
import { type LinkFault, readLinks } from "../../form/parse-links.js";
import { cleanText } from "../../html.js";

const TYPES = ["image", "video", "music"] as const satisfies readonly GenerationType[];

export function composeFeature({ cards }: { cards: CardMessages }): Feature {
  const composer = new Composer<BotContext>();
  for (const type of TYPES) composer.command(type, (ctx) => openCard(ctx, type, cards));
  return { name: "compose", commands: TYPES, composer };
}

async function openCard(
  ctx: CommandContext<BotContext>,
  type: GenerationType,
  cards: CardMessages,
): Promise<void> {
  const place = placeOf(ctx);
  const { refusal, ...given } = beginningOf(ctx.match);
  if (refusal) await ctx.reply(refusalText(refusal, ctx.language));
  if (place) await cards.open(ctx.person, place, { type, messageId: ctx.msgId, ...given });
}

function beginningOf(words: string): { parameters?: Parameters; prompt?: string; refusal?: LinkFault } {
  const found = readLinks(words);
  if (found?.kind === "links") return { parameters: heldBack({}, found.links) };
  if (found) return { refusal: found };
  const prompt = cleanText(words);
  return prompt ? { prompt } : {};
}
