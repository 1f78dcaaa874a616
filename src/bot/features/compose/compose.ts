import { type CommandContext, Composer } from "grammy";
import { GENERATION_TYPES, type GenerationType, type Model } from "../../../contract/model.js";
import type { Opening } from "../../card/card-messages.js";
import { leftOutText } from "../../card/left-out-text.js";
import { refusalText } from "../../card/missing-text.js";
import { isKindOff, openCard, sayKindIsOff } from "../../card/open-card.js";
import type { CardDeps } from "../../card/open-image-card.js";
import type { BotContext } from "../../context.js";
import { type Draft, modelOf } from "../../draft/draft.js";
import type { Feature } from "../../feature.js";
import { heldBack } from "../../form/apply-message.js";
import { carriedOver } from "../../form/left-out.js";
import { type LinkFault, readLinks } from "../../form/parse-links.js";
import { cleanText } from "../../html.js";
import type { OrderService } from "../../orders/order-service.js";
import { PictureRefusedError, type Pictures } from "../../pictures/pictures.js";
import { readablePicture, repliedPicture } from "../../pictures/replied-picture.js";

interface ComposeDeps extends CardDeps {
  orders: OrderService;
  pictures: Pictures;
}

type Beginning = Pick<Opening, "parameters" | "prompt" | "promptMessageId" | "chosen">;

/** The commands that begin a card. What was given on a card of another kind goes along. */
export function composeFeature(deps: ComposeDeps): Feature {
  const composer = new Composer<BotContext>();
  for (const type of GENERATION_TYPES) composer.command(type, (ctx) => begin(ctx, type, deps));
  return { name: "compose", commands: GENERATION_TYPES, composer };
}

async function begin(
  ctx: CommandContext<BotContext>,
  type: GenerationType,
  deps: ComposeDeps,
): Promise<void> {
  const { cards, drafts } = deps;
  const open = drafts.composing(ctx.person.id, ctx.chatId);
  // The update is handled again after a crash.
  if (open?.type === type && open.takenMessageId === ctx.msgId) return cards.repost(open, ctx.person);
  if (await isKindOff(ctx, type, cards)) return sayKindIsOff(ctx, type);
  const { refusal, links, prompt } = beginningOf(ctx.match);
  if (refusal) await ctx.reply(refusalText(refusal, ctx.language));
  const replied = await pictureOfReply(ctx, deps);
  const isCarried = open !== undefined && open.type !== type && replied === undefined;
  const carried = isCarried ? await carriedFrom(ctx, open, type, deps) : {};
  const pictures = [...links, ...(replied === undefined ? [] : [replied])];
  const parameters = pictures.length > 0 ? heldBack(carried.parameters ?? {}, pictures) : carried.parameters;
  const given: Beginning = {
    ...carried,
    ...(parameters && { parameters }),
    ...(prompt !== undefined && { prompt, promptMessageId: ctx.msgId }),
  };
  await openCard(ctx, { type, messageId: ctx.msgId, ...given }, cards);
}

interface Words {
  links: readonly string[];
  prompt?: string;
  refusal?: LinkFault;
}

function beginningOf(words: string): Words {
  const found = readLinks(words);
  if (found?.kind === "links") return { links: found.links };
  if (found) return { links: [], refusal: found };
  const prompt = cleanText(words);
  return prompt ? { links: [], prompt } : { links: [] };
}

/** Undefined when the command is no reply to a picture, or, after a reply, when the picture cannot be used. */
async function pictureOfReply(
  ctx: CommandContext<BotContext>,
  { orders, pictures }: ComposeDeps,
): Promise<string | undefined> {
  const replied = repliedPicture(ctx, orders.orders);
  if (!replied) return undefined;
  try {
    return await readablePicture(replied, ctx, pictures);
  } catch (error) {
    if (!(error instanceof PictureRefusedError)) throw error;
    await ctx.reply(ctx.language.t(`picture-${error.fault}`));
    return undefined;
  }
}

/** Says in one line what cannot go along. */
async function carriedFrom(
  ctx: CommandContext<BotContext>,
  open: Draft,
  type: GenerationType,
  { cards }: ComposeDeps,
): Promise<Beginning> {
  const modelsOf = (kind: GenerationType): Promise<readonly Model[]> => cards.models(ctx.person, kind);
  const [before, after] = await Promise.all([modelsOf(open.type), modelsOf(type)]);
  const { parameters, prompt, chosen, leftOut } = carriedOver(open, modelOf(open, before), after);
  const words = leftOutText(leftOut, ctx.language);
  if (words !== undefined) await ctx.reply(words);
  const { promptMessageId } = open;
  return { parameters, chosen, ...(prompt === null ? {} : { prompt, promptMessageId }) };
}
