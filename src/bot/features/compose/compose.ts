import { type CommandContext, Composer } from "grammy";
import { GENERATION_TYPES, type GenerationType } from "../../../contract/model.js";
import type { CardMessages } from "../../card/card-messages.js";
import { refusalText } from "../../card/missing-text.js";
import { openCard } from "../../card/open-card.js";
import type { BotContext } from "../../context.js";
import type { Feature } from "../../feature.js";
import { heldBack } from "../../form/apply-message.js";
import type { Parameters } from "../../form/fields.js";
import { type LinkFault, readLinks } from "../../form/parse-links.js";
import { cleanText } from "../../html.js";

export function composeFeature({ cards }: { cards: CardMessages }): Feature {
  const composer = new Composer<BotContext>();
  for (const type of GENERATION_TYPES) composer.command(type, (ctx) => begin(ctx, type, cards));
  return { name: "compose", commands: GENERATION_TYPES, composer };
}

async function begin(
  ctx: CommandContext<BotContext>,
  type: GenerationType,
  cards: CardMessages,
): Promise<void> {
  const { refusal, ...given } = beginningOf(ctx.match);
  if (refusal) await ctx.reply(refusalText(refusal, ctx.language));
  await openCard(ctx, { type, messageId: ctx.msgId, ...given }, cards);
}

function beginningOf(words: string): { parameters?: Parameters; prompt?: string; refusal?: LinkFault } {
  const found = readLinks(words);
  if (found?.kind === "links") return { parameters: heldBack({}, found.links) };
  if (found) return { refusal: found };
  const prompt = cleanText(words);
  return prompt ? { prompt } : {};
}
