import type { Model } from "../../contract/model.js";
import { type BotContext, placeOf } from "../context.js";
import type { Draft } from "../draft/draft.js";
import type { Drafts } from "../draft/draft-store.js";
import { heldBack } from "../form/apply-message.js";
import { withAutoFormat } from "../form/auto-format.js";
import { fieldsOf, type Parameters } from "../form/fields.js";
import { readLinks } from "../form/parse-links.js";
import { placePicture } from "../form/picture-fields.js";
import { modelsForPicture } from "../form/picture-models.js";
import { withOneImage } from "../form/starting-parameters.js";
import { cleanText } from "../html.js";
import type { CardMessages } from "./card-messages.js";
import { refusalText } from "./missing-text.js";
import { isKindOff, preferredModel, sayKindIsOff } from "./open-card.js";

export interface CardDeps {
  drafts: Drafts;
  cards: CardMessages;
}

interface Beginning {
  text?: string | undefined;
  /** In the format of `chatPicture`. */
  pictures?: readonly string[];
}

/** Links in the text become pictures, any other text the prompt. */
export async function beginImage(ctx: BotContext, text: string, deps: CardDeps): Promise<void> {
  const found = readLinks(text);
  if (found && found.kind !== "links") return void (await ctx.reply(refusalText(found, ctx.language)));
  await openImageCard(ctx, found ? { pictures: found.links } : { text }, deps);
}

/** Opens a card for the last used image model that fits. Undefined when there is neither text nor picture. */
export async function openImageCard(
  ctx: BotContext,
  { text = "", pictures = [] }: Beginning,
  { cards, drafts }: CardDeps,
): Promise<Draft | undefined> {
  const place = placeOf(ctx);
  const prompt = cleanText(text);
  if (!place || (prompt === "" && pictures.length === 0)) return undefined;
  if (await isKindOff(ctx, "image", cards)) return void (await sayKindIsOff(ctx, "image"));
  const models = await cards.models(ctx.person, "image");
  const able = pictures.length === 0 ? models : modelsForPicture(models, "image");
  const model = preferredModel(able, drafts.lastModels(ctx.person.id)) ?? models[0];
  return cards.open(ctx.person, place, {
    type: "image",
    ...(prompt === "" ? {} : { prompt }),
    ...(ctx.msgId === undefined ? {} : { messageId: ctx.msgId }),
    ...(model
      ? { model, parameters: begun(cards.startingParameters(ctx.person, model), pictures, model) }
      : {}),
  });
}

function begun(start: Parameters, pictures: readonly string[], model: Model): Parameters {
  const fields = fieldsOf(model);
  let parameters = pictures.length === 0 ? start : withOneImage(fields, start);
  for (const picture of pictures) {
    const placed = placePicture(fields, parameters, picture);
    parameters = placed.kind === "placed" ? placed.parameters : heldBack(parameters, [picture]);
  }
  return withAutoFormat(fields, parameters, []);
}
