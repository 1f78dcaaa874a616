import { type CommandContext, Composer } from "grammy";
import { GENERATION_TYPES, type GenerationType } from "../../../contract/model.js";
import { leftOutText, refusalText, wrongLinkText } from "../../card/card-words.js";
import { type Draft, modelOf } from "../../card/draft-store.js";
import { carriedOver } from "../../card/form/evaluate-form.js";
import { fieldsOf, mainTextOf } from "../../card/form/fields.js";
import { heldPictures, onlyPictures } from "../../card/form/picture-fields.js";
import { parseLinks } from "../../card/form/typed-value.js";
import { PictureRefusedError } from "../../card/pictures.js";
import type { BotContext } from "../../context.js";
import type { Feature } from "../../feature.js";
import type { BotModules } from "../../modules.js";
import { cleanText } from "../../texts/html.js";
import { openKind, sayIfKindIsOff } from "./open-kind.js";
import { readablePicture, repliedPicture } from "./replies.js";

/** Handles the commands that open a card. Pictures and settings of an open card of another kind move to it. */
export function composeFeature(bot: BotModules): Feature {
  const composer = new Composer<BotContext>();
  for (const type of GENERATION_TYPES) composer.command(type, (ctx) => begin(ctx, type, bot));
  return { commands: GENERATION_TYPES, composer };
}

async function begin(ctx: CommandContext<BotContext>, type: GenerationType, bot: BotModules): Promise<void> {
  const { cards, drafts } = bot;
  const open = drafts.composing(ctx.person.id, ctx.chatId);
  // The update is handled again after a crash.
  if (open?.type === type && open.takenMessageId === ctx.msgId) return cards.repost(open, ctx);
  if (await sayIfKindIsOff(ctx, type, cards)) return;
  const wrong = await bot.links.wrongLinkIn(ctx.match);
  if (wrong !== undefined) await ctx.reply(wrongLinkText(wrong, ctx.language));
  const words = wrong === undefined ? ctx.match : "";
  const found = parseLinks(words);
  const links = found?.kind === "links" ? found.links : [];
  if (found && found.kind !== "links") await ctx.reply(refusalText(found, ctx.language));
  const text = found ? "" : cleanText(words);
  const replied = await pictureOfReply(ctx, bot);
  const isCarried = open !== undefined && open.type !== type && replied === undefined;
  const carried = isCarried ? await carriedFrom(ctx, open, type, text !== "", bot) : undefined;
  const pictures = [...links, ...(replied ? [replied.picture] : [])];
  const own = replied && { pictureMessages: replied.pictureMessages };
  await openKind(ctx, { type, pictures, ...own, ...carried, text: text || carried?.text }, bot);
}

/** Reads the replied-to picture. Undefined where there is none or, after an error message, an unusable one. */
async function pictureOfReply(
  ctx: CommandContext<BotContext>,
  bot: BotModules,
): Promise<{ picture: string; pictureMessages: Draft["pictureMessages"] } | undefined> {
  const replied = repliedPicture(ctx, bot.orders);
  if (!replied) return undefined;
  try {
    const picture = await readablePicture(replied, ctx, bot);
    return { picture, pictureMessages: replied.pictureMessages };
  } catch (error) {
    if (!(error instanceof PictureRefusedError)) throw error;
    await ctx.reply(ctx.language.t(`picture-${error.fault}`));
    return undefined;
  }
}

/**
 * Carries over what the open card has, but its description. Without words only the pictures go along, with the caption
 * of one that nobody has paid for yet.
 */
export async function carriedFrom(
  ctx: BotContext,
  open: Draft,
  type: GenerationType,
  withSettings: boolean,
  { cards }: BotModules,
) {
  const from = modelOf(open, await cards.models(ctx, open.type));
  const after = await cards.models(ctx, type);
  const given = withSettings ? open : { ...open, parameters: onlyPictures(open.parameters), chosen: [] };
  const { parameters, chosen, leftOut } = carriedOver(given, from, after);
  const words = leftOutText(leftOut, ctx.language);
  if (words !== undefined) await ctx.reply(words);
  const { pictureMessages } = open;
  const isCaption = pictureMessages[open.promptMessageId ?? 0] !== undefined;
  const isAlone = withSettings || heldPictures(parameters) === 0;
  const caption = isCaption && !isAlone ? mainTextOf(open.parameters, from && fieldsOf(from)) : undefined;
  return { settings: parameters, chosen, pictureMessages, text: caption };
}
