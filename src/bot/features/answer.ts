import type { Model } from "../../contract/model.js";
import { type BotContext, isPrivate, placeOf } from "../context.js";
import type { Draft } from "../create/draft.js";
import type { Parameters } from "../create/form.js";
import { readLinks } from "../create/links.js";
import { refusalText } from "../create/need-text.js";
import { pictureControls, placePicture } from "../create/picture-slots.js";
import { heldBack, type TakeOutcome, takeMessage } from "../create/take-message.js";
import { cleanText } from "../html.js";
import { askAgain } from "./ask.js";
import type { FeatureParts } from "./feature.js";
import { continuedBy } from "./long-text.js";
import { withoutMention } from "./mention.js";

type Refused = Extract<TakeOutcome, { kind: "refused" }>;

/**
 * Tries the text of a message as what the card of a draft asks for, and answers: with the card where it was
 * taken, with what is wrong where it was not. True when nothing more is to be asked.
 */
export async function answerText(ctx: BotContext, draftId: number, parts: FeatureParts): Promise<boolean> {
  const text = wordsOf(ctx);
  if (text === undefined) {
    await askAgain(ctx, ctx.language.t("prompt-no-text"));
    return false;
  }
  const { drafts, cards } = parts;
  const models = await cards.models(ctx.person, drafts.find(draftId)?.type ?? "image");
  const outcome = await takeMessage(drafts, draftId, { messageId: ctx.msgId ?? 0, text }, models);
  switch (outcome.kind) {
    case "taken":
      await cards.repost(outcome.draft, ctx.person);
      return true;
    case "refused":
      await refuse(ctx, outcome, parts);
      return false;
    case "gone":
      return answerElsewhere(ctx, draftId, text, parts);
  }
}

/** Says what is wrong with a text. Of one in several messages that is said once, and no beginning of it stays. */
async function refuse(ctx: BotContext, { refusal, draft }: Refused, parts: FeatureParts): Promise<void> {
  const { drafts, cards } = parts;
  const before = refusal.kind === "too_long" ? continuedBy(ctx.message) : undefined;
  const isBegun = draft.promptMessageId !== null && before?.includes(draft.promptMessageId);
  if (before && !isBegun) return;
  await askAgain(ctx, refusalText(refusal, ctx.language));
  // Nobody wants to pay for the part that fitted.
  const emptied = isBegun && (await drafts.change(draft, { prompt: null, promptMessageId: null }));
  if (emptied) await cards.refresh(emptied, ctx.person);
}

/** What a message says; who names the bot in a group speaks to it, and means nothing by its name. */
function wordsOf(ctx: BotContext): string | undefined {
  const text = ctx.message?.text;
  if (text === undefined || isPrivate(ctx)) return text;
  return withoutMention(text, ctx.me.username) ?? text;
}

/** The card that was asked for is closed: what was said goes to the one that is open now, else to a new one. */
async function answerElsewhere(
  ctx: BotContext,
  draftId: number,
  text: string,
  parts: FeatureParts,
): Promise<boolean> {
  const open = ctx.chatId === undefined ? undefined : parts.drafts.composing(ctx.person.id, ctx.chatId);
  if (open && open.id !== draftId) return answerText(ctx, open.id, parts);
  await beginImage(ctx, text, parts);
  return true;
}

/** What a new card begins with. */
interface Beginning {
  text?: string | undefined;
  /** As `chatPicture` writes them. */
  pictures?: readonly string[];
}

/** Opens an image card with a text: links stand for pictures, any other words describe what is to be made. */
export async function beginImage(ctx: BotContext, text: string, parts: FeatureParts): Promise<void> {
  const found = readLinks(text);
  if (found && found.kind !== "links") return void (await ctx.reply(refusalText(found, ctx.language)));
  await openImageCard(ctx, found ? { pictures: found.links } : { text }, parts);
}

/**
 * Opens an image card for the model that its person used last; with pictures, for the last one that takes them.
 * Undefined when there is nothing to begin with.
 */
export async function openImageCard(
  ctx: BotContext,
  { text = "", pictures = [] }: Beginning,
  { cards, drafts }: FeatureParts,
): Promise<Draft | undefined> {
  const place = placeOf(ctx);
  const prompt = cleanText(text);
  if (!place || (prompt === "" && pictures.length === 0)) return undefined;
  const models = await cards.models(ctx.person, "image");
  const able = pictures.length === 0 ? models : models.filter((one) => pictureControls(one).length > 0);
  const used = drafts.lastModels(ctx.person.id);
  const model =
    used.map((key) => able.find(({ model_key }) => model_key === key)).find(Boolean) ?? able[0] ?? models[0];
  return cards.open(ctx.person, place, {
    type: "image",
    ...(prompt === "" ? {} : { prompt }),
    ...(ctx.msgId === undefined ? {} : { messageId: ctx.msgId }),
    ...(model
      ? { model, parameters: begun(cards.startingParameters(ctx.person, model), pictures, model) }
      : {}),
  });
}

/** The parameters with the pictures in their places; those without a place are kept for another model. */
function begun(start: Parameters, pictures: readonly string[], model: Model): Parameters {
  let parameters = start;
  for (const picture of pictures) {
    const placed = placePicture(model, parameters, picture);
    parameters = placed.kind === "placed" ? placed.parameters : heldBack(parameters, [picture]);
  }
  return parameters;
}
