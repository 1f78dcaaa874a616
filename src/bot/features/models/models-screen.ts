import { InlineKeyboard } from "grammy";
import type { SwitchedModel } from "../../../ports/model-switches.js";
import { modelToken } from "../../card/form/fields.js";
import { escapeHtml } from "../../texts/html.js";
import type { Language } from "../../texts/texts.js";
import { modelData } from "./model-data.js";

const PAGE_SIZE = 8;

export interface ModelsScreen {
  text: string;
  keyboard: InlineKeyboard;
}

/** Lists what the catalogue sells, with what is off. A page that no longer exists shows the last one. */
export function modelsScreen(
  models: readonly SwitchedModel[],
  wanted: number,
  { t }: Language,
): ModelsScreen {
  const pages = Math.max(1, Math.ceil(models.length / PAGE_SIZE));
  const page = Math.min(wanted, pages - 1);
  const keyboard = new InlineKeyboard();
  for (const { key, title, isOff, note } of models.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE)) {
    const label = `${isOff ? "🔴" : "🟢"} ${title}${note === null ? "" : " 📝"}`;
    keyboard.text(label, modelData.encode({ action: "show", token: modelToken(key) })).row();
  }
  if (page > 0) keyboard.text("‹", modelData.encode({ action: "list", page: page - 1 }));
  if (page < pages - 1) keyboard.text("›", modelData.encode({ action: "list", page: page + 1 }));
  const off = models.filter(({ isOff }) => isOff).length;
  return { text: t("models-sold", { count: models.length, off }), keyboard };
}

/** Shows one model as HTML, with what can be changed of it. */
export function modelScreen({ key, title, isOff, note }: SwitchedModel, { t }: Language): ModelsScreen {
  const token = modelToken(key);
  const lines = [
    `<b>${escapeHtml(title)}</b> · <code>${escapeHtml(key)}</code>`,
    t(isOff ? "model-is-off" : "model-is-on"),
    ...(note === null ? [] : [t("model-note", { note: escapeHtml(note) })]),
  ];
  const keyboard = new InlineKeyboard();
  if (isOff) keyboard.text(t("button-model-on"), modelData.encode({ action: "on", token })).success();
  else keyboard.text(t("button-model-off"), modelData.encode({ action: "off", token })).danger();
  keyboard.row().text(t("button-model-note"), modelData.encode({ action: "note", token }));
  if (note !== null) keyboard.text(t("button-model-clear"), modelData.encode({ action: "clear", token }));
  keyboard.row().text(t("button-back"), modelData.encode({ action: "list", page: 0 }));
  return { text: lines.join("\n"), keyboard };
}
