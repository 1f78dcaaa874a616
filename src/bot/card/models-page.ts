import { InlineKeyboard } from "grammy";
import type { Model } from "../../contract/model.js";
import { isFixedPrice, lowestPriceKopecks } from "../../contract/price.js";
import { versionTitle } from "../../contract/version-title.js";
import { cutText, escapeHtml } from "../texts/html.js";
import type { Language } from "../texts/texts.js";
import type { CardAction } from "./callback-data.js";
import { type Draft, modelOf } from "./draft/draft.js";
import { fieldsOf, modelToken } from "./form/fields.js";
import { mainTextOf } from "./form/main-text.js";
import { offeredModels } from "./form/offered-models.js";
import { heldPictures } from "./form/picture-fields.js";
import { needsPicture, takesPicture } from "./form/picture-models.js";
import {
  button,
  type CardMessage,
  type CardSurroundings,
  inRows,
  noteLine,
  quotedText,
  titleOf,
} from "./layout.js";
import { modelOffText } from "./model-off-text.js";
import { parameterName } from "./parameter-names.js";

/** The most models on a page: a message has a maximum length. */
const MODELS_ON_A_PAGE = 10;
const ABOUT_SHOWN = 160;
const IN_A_ROW = 2;
/** The most models with empty lines between them: a longer list has none, so that it fits the screen of a phone. */
const LINES_APART = 5;

/** Lists the models in the order of the catalogue. Marks the current one, and those that take no photo. */
export function renderModels(draft: Draft, { models: known, language }: CardSurroundings): CardMessage {
  const { t } = language;
  const models = offeredModels(known);
  const pages = Math.max(1, Math.ceil(models.length / MODELS_ON_A_PAGE));
  const page = Math.min(draft.view.kind === "models" ? draft.view.page : 0, pages - 1);
  const shown = models.slice(page * MODELS_ON_A_PAGE, (page + 1) * MODELS_ON_A_PAGE);
  const pictures = heldPictures(draft.parameters);
  const hasPictures = pictures > 0;
  const choices = shown.map((model) => {
    const mark = model.model_key === draft.modelKey ? "• " : "";
    const limit = hasPictures && !takesPicture(model) ? ` · ${t("models-no-photo")}` : "";
    const label = `${mark}${versionTitle(model, {})}${limit}`;
    return button(draft, label, { kind: "model", token: modelToken(model.model_key) });
  });
  const rows = inRows(choices, IN_A_ROW);
  const turn = (by: number): CardAction => ({ kind: "page", page: (page + by + pages) % pages });
  if (pages > 1) rows.push([button(draft, "◀️", turn(-1)), button(draft, "▶️", turn(1))]);
  const back = button(draft, t("button-back"), { kind: "card" });
  const cancel = button(draft, t("button-cancel"), { kind: "cancel" });
  rows.push(modelOf(draft, known) ? [back, cancel] : [cancel]);

  const lines = shown.map((model) => modelLines(model, hasPictures, language));
  const off = modelOffText(draft, known, language);
  const parts = off === undefined ? [] : [off];
  const here = pages > 1 ? ` (${t("models-page", { page: page + 1, pages })})` : "";
  if (models.length > 0)
    parts.push(
      `<b>${t(`models-title-${draft.type}`)}</b>${here}`,
      ...(lines.length > LINES_APART ? [lines.join("\n")] : lines),
    );
  const model = modelOf(draft, known);
  const text = mainTextOf(draft.parameters, model && fieldsOf(model));
  if (text !== undefined) parts.push(quotedText(parameterName("prompt", language), text));
  if (hasPictures) parts.push(t("pictures-given", { count: pictures }));
  return { text: parts.join("\n\n"), keyboard: new InlineKeyboard(rows) };
}

function modelLines(model: Model, hasPictures: boolean, language: Language): string {
  const about: unknown = model.about && Reflect.get(model.about, language.code);
  const { t } = language;
  const facts = [
    ...(typeof about === "string" ? [escapeHtml(cutText(about, ABOUT_SHOWN))] : []),
    ...(needsPicture(model) ? [`📷 ${t("models-need-photo")}`] : []),
    ...(hasPictures && !takesPicture(model) ? [`🚫 ${t("models-no-photo")}`] : []),
  ];
  const head = [titleOf(model), priceInList(model, language)].filter(Boolean).join(" · ");
  return [`${head}${noteLine(model)}`, ...facts].filter(Boolean).join("\n");
}

function priceInList(model: Model, { t, money }: Language): string {
  const lowest = lowestPriceKopecks(model);
  if (lowest === undefined) return "";
  return isFixedPrice(model) ? money(lowest) : t("models-price-from", { price: money(lowest) });
}
