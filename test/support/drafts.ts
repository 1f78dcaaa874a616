import type { InlineKeyboardButton } from "grammy/types";
import { type CardAction, cardData } from "../../src/bot/card/callback-data.js";
import type { CardMessage } from "../../src/bot/card/layout.js";
import { renderCard } from "../../src/bot/card/render-card.js";
import type { Draft } from "../../src/bot/draft/draft.js";
import { startingParameters } from "../../src/bot/form/starting-parameters.js";
import { loadTexts } from "../../src/bot/texts.js";
import type { GenerationType, Model } from "../../src/contract/model.js";
import { asKopecks } from "../../src/contract/money.js";
import { catalogue } from "./core.js";

export const texts = loadTexts("locales", "en");

export function modelNamed(key: string): Model {
  const model = catalogue.models.find(({ model_key }) => model_key === key);
  if (!model) throw new Error(`no model ${key}`);
  return model;
}

export function modelsOf(type: GenerationType): readonly Model[] {
  return catalogue.models.filter((model) => model.type === type);
}

/** A draft of a model as its card begins. */
export function draftOn(model: Model, change: Partial<Draft> = {}): Draft {
  return {
    id: 2 ** 40,
    userId: 7,
    chatId: 7,
    threadId: null,
    messageId: 1,
    state: "composing",
    view: { kind: "card" },
    type: model.type,
    modelKey: model.model_key,
    parameters: startingParameters(model, {}),
    prompt: null,
    promptMessageId: null,
    takenMessageId: null,
    chosen: [],
    revision: 2 ** 30,
    ...change,
  };
}

export function cardOf(draft: Draft, models: readonly Model[], locale = "en", isGroup = false): CardMessage {
  return renderCard(draft, {
    models,
    balanceKopecks: asKopecks(12_345_67),
    language: texts.in(locale),
    supportContact: "@help",
    isGroup,
    ownerName: "Ann",
  });
}

export function buttonsOf({ keyboard }: CardMessage): InlineKeyboardButton.CallbackButton[] {
  return keyboard.inline_keyboard.flat() as InlineKeyboardButton.CallbackButton[];
}

/** What the buttons of a card do. */
export function actionsOf(message: CardMessage): CardAction[] {
  return buttonsOf(message).map(({ callback_data }) => {
    const data = cardData.decode(callback_data);
    if (!data) throw new Error(`no data of a card: ${callback_data}`);
    return data.action;
  });
}

/** A message's text as Telegram counts it: after its HTML is read. */
export function shownText({ text }: CardMessage): string {
  return text.replace(/<[^>]+>/g, "").replace(/&(amp|lt|gt|quot);/g, "x");
}
