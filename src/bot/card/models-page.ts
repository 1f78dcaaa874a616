import { InlineKeyboard } from "grammy";
import type { Model } from "../../contract/model.js";
import { isFixedPrice, lowestPriceKopecks } from "../../contract/price.js";
import { versionTitle } from "../../contract/version-title.js";
import { type Draft, modelOf } from "../draft/draft.js";
import { evaluateForm } from "../form/evaluate-form.js";
import { fieldNamed, modelToken } from "../form/fields.js";
import { heldPictures } from "../form/picture-fields.js";
import { startingParameters } from "../form/starting-parameters.js";
import { cutText, escapeHtml } from "../html.js";
import type { Language } from "../texts.js";
import type { CardAction } from "./callback-data.js";
import { button, type CardMessage, type CardSurroundings, inPairs, quotedText, titleOf } from "./layout.js";
import { modelOffText } from "./model-off-text.js";
import { parameterName } from "./parameter-names.js";

const MODELS_ON_A_PAGE = 6;
const ABOUT_SHOWN = 160;

export function renderModels(draft: Draft, { models, language }: CardSurroundings): CardMessage {
  const { t } = language;
  const pages = Math.max(1, Math.ceil(models.length / MODELS_ON_A_PAGE));
  const page = Math.min(draft.view.kind === "models" ? draft.view.page : 0, pages - 1);
  const shown = models.slice(page * MODELS_ON_A_PAGE, (page + 1) * MODELS_ON_A_PAGE);
  const choices = shown.map((model) =>
    button(draft, versionTitle(model, {}), { kind: "model", token: modelToken(model.model_key) }),
  );
  const rows = inPairs(choices);
  const turn = (by: number): CardAction => ({ kind: "page", page: (page + by + pages) % pages });
  const here = t("models-page", { page: page + 1, pages });
  if (pages > 1) {
    rows.push([button(draft, "‹", turn(-1)), button(draft, here, turn(0)), button(draft, "›", turn(1))]);
  }
  const back = button(draft, t("button-back"), { kind: "card" });
  const cancel = button(draft, t("button-cancel"), { kind: "cancel" });
  rows.push(modelOf(draft, models) ? [back, cancel] : [cancel]);

  const lines = shown.map((model) => modelLines(model, language));
  const off = modelOffText(draft, models, language);
  const parts = off === undefined ? [] : [off];
  if (models.length > 0) parts.push(`<b>${t(`models-title-${draft.type}`)}</b>`, ...lines);
  if (draft.prompt !== null) parts.push(quotedText(parameterName("prompt", language), draft.prompt));
  const pictures = heldPictures(draft.parameters);
  if (pictures > 0) parts.push(t("pictures-given", { count: pictures }));
  return { text: parts.join("\n\n"), keyboard: new InlineKeyboard(rows) };
}

function modelLines(model: Model, language: Language): string {
  const about: unknown = model.about && Reflect.get(model.about, language.code);
  const facts = [
    ...(typeof about === "string" ? [escapeHtml(cutText(about, ABOUT_SHOWN))] : []),
    ...(needsPicture(model) ? [language.t("models-need-photo")] : []),
  ];
  const head = [titleOf(model), priceInList(model, language)].filter(Boolean).join(" · ");
  return [head, ...facts].filter(Boolean).join("\n");
}

/** True for a model that cannot be ordered without a picture. */
function needsPicture(model: Model): boolean {
  const { missing, fields } = evaluateForm(model, {
    parameters: startingParameters(model, {}),
    prompt: null,
  });
  return missing.some(
    (one) => one.kind === "one_of" && one.names.some((name) => fieldNamed(fields, name)?.kind === "pictures"),
  );
}

function priceInList(model: Model, { t, money }: Language): string {
  const lowest = lowestPriceKopecks(model);
  if (lowest === undefined) return "";
  return isFixedPrice(model) ? money(lowest) : t("models-price-from", { price: money(lowest) });
}
