import type { InlineKeyboardButton } from "grammy/types";
import { type CardData, cardData } from "../../src/bot/card/callback-data.js";
import type { Draft } from "../../src/bot/card/draft-store.js";
import { fieldsOf, mainTextOf, withMainText } from "../../src/bot/card/form/fields.js";
import { startingParameters } from "../../src/bot/card/form/starting-parameters.js";
import { type CardMessage, renderCard } from "../../src/bot/card/render-card.js";
import { loadTexts } from "../../src/bot/texts/texts.js";
import type { GenerationType, Model } from "../../src/contract/model.js";
import { asKopecks } from "../../src/contract/price.js";
import { NEW_DRAFT } from "./bot-world.js";
import { catalogue } from "./core.js";

export const texts = loadTexts("locales", "en");

/** Words and sums as most people of the tests read them. */
export const { t, money } = texts.in("en");

export function modelNamed(key: string): Model {
  const model = catalogue.models.find(({ model_key }) => model_key === key);
  if (!model) throw new Error(`no model ${key}`);
  return model;
}

export function modelsOf(type: GenerationType): readonly Model[] {
  return catalogue.models.filter((model) => model.type === type);
}

/** A draft of a model as its card begins. */
export function draftOn(
  model: Model,
  { text, ...change }: Partial<Draft> & { text?: string | null } = {},
): Draft {
  const parameters = change.parameters ?? startingParameters(model, {});
  const words = typeof text === "string" ? withMainText(parameters, fieldsOf(model), text) : parameters;
  return {
    ...NEW_DRAFT,
    id: 2 ** 40,
    messageId: 1,
    state: "composing",
    type: model.type,
    modelKey: model.model_key,
    questionId: null,
    refusals: 0,
    revision: 2 ** 30,
    ...change,
    parameters: words,
  };
}

/** A draft with its main text. */
export function withText<D extends Draft | undefined>(draft: D): D & { text: string | null } {
  const model = catalogue.models.find(({ model_key }) => model_key === draft?.modelKey);
  const text = draft && mainTextOf(draft.parameters, model && fieldsOf(model));
  return (draft && { ...draft, text: text ?? null }) as D & { text: string | null };
}

export function cardOf(draft: Draft, models: readonly Model[], locale = "en", isGroup = false): CardMessage {
  return renderCard(draft, {
    models,
    allModels: catalogue.models,
    balanceKopecks: asKopecks(12_345_67),
    language: texts.in(locale),
    supportContact: "@help",
    isGroup,
    ownerName: "Ann",
  });
}

/** The buttons of a card, without those that are links. */
export function buttonsOf({ keyboard }: CardMessage): InlineKeyboardButton.CallbackButton[] {
  return keyboard.inline_keyboard.flat().filter((button) => "callback_data" in button);
}

/** What the buttons of a card do. */
export function actionsOf(message: CardMessage): CardData[] {
  return buttonsOf(message).map(({ callback_data }) => {
    const data = cardData.decode(callback_data);
    if (!data) throw new Error(`no data of a card: ${callback_data}`);
    return data;
  });
}

/** A message's text as Telegram counts it: after its HTML is read. */
export function shownText({ text }: CardMessage): string {
  return text.replace(/<[^>]+>/g, "").replace(/&(amp|lt|gt|quot);/g, "x");
}
