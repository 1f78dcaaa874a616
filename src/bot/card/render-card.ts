import { InlineKeyboard } from "grammy";
import type { InlineKeyboardButton } from "grammy/types";
import { type Model, type ParameterValue, versionOf, versionTitle } from "../../contract/model.js";
import {
  isFixedPrice,
  type Kopecks,
  lowestPriceKopecks,
  NO_KOPECKS,
  type QuotedPrice,
} from "../../contract/price.js";
import type { TopUps } from "../payments/top-ups.js";
import { debtLines, lackOf, shortfallText } from "../people/balance-words.js";
import { blockquote, codePoints, cutText, escapeHtml } from "../texts/html.js";
import { firstText, type Language } from "../texts/texts.js";
import { type CardAction, cardData } from "./callback-data.js";
import { MODELS_NAMED, missingText, modelOffText, noticeText, textWords, wordsFor } from "./card-words.js";
import { type Draft, modelOf, type View } from "./draft-store.js";
import { croppedRatio, makesShape } from "./form/auto-format.js";
import { offeredModels } from "./form/change-model.js";
import {
  evaluateForm,
  type FormState,
  noticesOf,
  type Pages,
  pagesOf,
  valuePrices,
} from "./form/evaluate-form.js";
import {
  type FormField,
  fieldNamed,
  fieldsOf,
  guessedFrom,
  mainTextName,
  mainTextOf,
  modelToken,
  modeValue,
  type Parameters,
  usualOf,
} from "./form/fields.js";
import { modelsForPicture, needsPicture, takesPicture } from "./form/fitting-models.js";
import { heldPictures, isHere, onlyResultIn, picturesIn, picturesUsed } from "./form/picture-fields.js";
import {
  parameterName,
  parameterQuestion,
  settingLabel,
  settingName,
  shortLink,
  textKey,
  valueName,
} from "./parameter-names.js";

const PROMPT_SHOWN = 700;
const TITLE_SHOWN = 100;
const LABEL_SHOWN = 60;

/** Label characters that a phone of 320 px shows when one to four buttons share a row: of each, and of all. */
const CHARACTERS_SHOWN = [40, 18, 12, 7];
const ROW_SHOWN = [40, 29, 25, 20];

interface CardSurroundings {
  /** Models of the card's type. */
  models: readonly Model[];
  /** Models of every type. */
  allModels: readonly Model[];
  /** Width of the first picture divided by its height, where it is known. */
  pictureShape?: number | undefined;
  /** Undefined where the card does not show it: see `showsBalance`. */
  balanceKopecks: Kopecks | undefined;
  /** What is paid first from whatever is added. */
  owedKopecks?: Kopecks;
  /** What is left of the person's limit, where there is one: the card shows it in place of the balance. */
  limitLeftKopecks?: Kopecks | undefined;
  language: Language;
  supportContact: string | undefined;
  isGroup: boolean;
  ownerName: string;
  /** True for a person who may not order, on a card that only they see. */
  isBanned?: boolean;
  /** Offers what is missing, where it can be bought here. */
  topUps?: Pick<TopUps, "isOn" | "missingButtons">;
}

type CardForm = FormState & { pages: Pages };

export interface CardMessage {
  text: string;
  keyboard: InlineKeyboard;
}

/** Styles of buttons. Only the paying one stands out; what ends or removes something is red. */
const STYLES: Partial<Record<CardAction["action"], InlineKeyboardButton["style"]>> = {
  pay: "success",
  cancel: "danger",
  clear: "danger",
  remove: "danger",
};

function button({ id: draftId, revision }: Draft, label: string, action: CardAction): InlineKeyboardButton {
  const data = cardData.encode({ ...action, draftId, revision });
  const style = STYLES[action.action];
  const made = InlineKeyboard.text(cutText(label, LABEL_SHOWN), data);
  return style ? { ...made, style } : made;
}

/** Lays buttons out in rows of at most `inARow`. A label that a phone would cut gets a wider button. */
export function inRows(buttons: readonly InlineKeyboardButton[], inARow: number): InlineKeyboardButton[][] {
  const rows: InlineKeyboardButton[][] = [];
  for (const one of buttons) {
    const row = rows.at(-1);
    if (row && row.length < inARow && isReadable(row, one)) row.push(one);
    else rows.push([one]);
  }
  return rows;
}

/** Lays buttons out in twos. A label that needs a row of its own leaves no gap before it. */
export function inPairs(buttons: readonly InlineKeyboardButton[]): InlineKeyboardButton[][] {
  const rows: InlineKeyboardButton[][] = [];
  let open: InlineKeyboardButton[] | undefined;
  for (const one of buttons) {
    if (open && isReadable(open, one)) {
      open.push(one);
      open = undefined;
      continue;
    }
    const row = [one];
    rows.push(row);
    if (codePoints(one.text) <= (CHARACTERS_SHOWN[1] ?? 0)) open = row;
  }
  return rows;
}

function isReadable(row: readonly InlineKeyboardButton[], added: InlineKeyboardButton): boolean {
  const shown = CHARACTERS_SHOWN[row.length] ?? 0;
  const lengths = [...row, added].map(({ text }) => codePoints(text));
  const all = lengths.reduce((sum, length) => sum + length, 0);
  return lengths.every((length) => length <= shown) && all <= (ROW_SHOWN[row.length] ?? 0);
}

/** Returns the title of the version that makes it with these settings, as HTML. */
function titleOf(model: Model, settings: Parameters = {}): string {
  return `<b>${escapeHtml(cutText(versionTitle(model, settings), TITLE_SHOWN))}</b>`;
}

/** Returns what an admin wants readers of a language to know of a model, as a line of HTML after its title. */
function noteLine({ note }: Model, { code }: Language): string {
  const words = note?.[code];
  return words === undefined ? "" : `\n⚠️ ${escapeHtml(words)}`;
}

/** Returns the title of a model, marked where the local renderer serves it, as HTML. */
function titleLine(model: Model, settings: Parameters, { language }: CardSurroundings): string {
  const title = titleOf(model, settings);
  if (!model.isPreview) return title;
  return `${title} <i>${previewMark(model.type, language)}</i>`;
}

/** Says that the local renderer makes files of this type, as plain text. */
export function previewMark(type: Model["type"], language: Language): string {
  return firstText(language, [`local-preview-${type}`, "local-preview"]);
}

/** Quotes the main text of a draft under its name, shortened, as HTML. */
function quotedText(name: string, text: string): string {
  return `${escapeHtml(name)}:\n${blockquote(cutText(text, PROMPT_SHOWN))}`;
}

/** Formats a price. A sum that may rise is never shown as exact. */
export function shownPrice({ kopecks, isExact }: QuotedPrice, { t, money }: Language): string {
  const price = money(kopecks);
  return isExact ? price : t("models-price-from", { price });
}

function shortfallOf(
  { price }: FormState,
  { balanceKopecks, owedKopecks = NO_KOPECKS }: CardSurroundings,
): Kopecks {
  if (!price || balanceKopecks === undefined) return NO_KOPECKS;
  return lackOf(price.kopecks, balanceKopecks, owedKopecks);
}

/**
 * Shows the price, the balance and what is missing, as paragraphs of HTML. The paying button, where there is one, has
 * the price. A group sees no balance.
 */
function sumsOf(form: FormState, around: CardSurroundings): string[] {
  const { price, payable } = form;
  const { language, balanceKopecks, owedKopecks = NO_KOPECKS, limitLeftKopecks, isGroup } = around;
  if (around.isBanned) return [language.t("refused-account_banned")];
  const shortfall = shortfallOf(form, around);
  const { t, money } = language;
  const sums: string[] = [];
  if (!price) sums.push(t("card-price-unknown"));
  else if (payable === undefined || shortfall > 0)
    sums.push(t("card-price", { price: shownPrice(price, language) }));
  if (!isGroup && balanceKopecks !== undefined)
    sums.push(
      limitLeftKopecks === undefined
        ? t("card-balance", { balance: money(balanceKopecks) })
        : t("card-limit", { left: money(limitLeftKopecks) }),
    );
  const lack = shortfall > 0 ? [shortfallText(shortfall, around, around)] : [];
  if (shortfall > 0 && !isGroup) lack.unshift(...debtLines(owedKopecks, language));
  return [sums.join(price ? " · " : "\n"), ...lack].filter(Boolean);
}

const CHEAPER_SHOWN = 2;

/** Draws the paying button with the price, or, where it could not work, what helps: less for less, or more money. */
function payRows(draft: Draft, form: FormState, around: CardSurroundings): InlineKeyboardButton[][] {
  const { price, payable } = form;
  const { language } = around;
  if (!price || payable === undefined || around.isBanned) return [];
  if (shortfallOf(form, around) === 0) {
    const label = `✅ ${language.t("button-generate", { price: shownPrice(price, language) })}`;
    return [[button(draft, label, { action: "pay", kopecks: payable })]];
  }
  const { topUps } = around;
  const cheaper = cheaperButtons(draft, form, around);
  const again = button(draft, language.t("button-refresh"), { action: "card" });
  if (!topUps?.isOn) return inPairs([...cheaper, ...contactButton(around), again]);
  const bought = topUps.missingButtons(shortfallOf(form, around), around);
  // Money also comes by a promo code or a refund, which show no card again.
  return inPairs([...bought, ...cheaper, again]);
}

/** Offers the values that the balance pays, the dearest first. */
function cheaperButtons(
  draft: Draft,
  form: FormState,
  { balanceKopecks = NO_KOPECKS, language, isGroup }: CardSurroundings,
): InlineKeyboardButton[] {
  // In a group it would tell others about how much is left.
  if (isGroup) return [];
  const offers = form.active.flatMap((field) => {
    const prices = valuePrices(form, field);
    const paid = field.choices.flatMap((value, index) => {
      const price = prices?.get(value);
      return price !== undefined && price <= balanceKopecks ? [{ value, index, price }] : [];
    });
    const best = paid.toSorted((one, other) => other.price - one.price)[0];
    return best ? [{ field, ...best }] : [];
  });
  const shown = offers.toSorted((one, other) => other.price - one.price).slice(0, CHEAPER_SHOWN);
  return shown.map(({ field, value, index, price }) => {
    const own = `cheaper-${textKey(field.name)}`;
    const { t, has, money } = language;
    const name = has(own) ? t(own, { count: Number(value) }) : valueName(field, value, language);
    const label = t("button-cheaper", { value: name, price: money(price) });
    return button(draft, label, { action: "value", token: field.token, index });
  });
}

/** Opens the chat or page that `SUPPORT_CONTACT` names. Nothing where it is something else. */
function contactButton({ supportContact, language }: CardSurroundings): InlineKeyboardButton[] {
  const address = supportContact
    ?.replace(/^@(?=\w{4,32}$)/, "https://t.me/")
    .replace(/^t\.me\/\w+$/, "https://$&");
  if (address === undefined || !/^https?:\/\/\S+$/.test(address) || !URL.canParse(address)) return [];
  const contact = supportContact?.replace(/^https?:\/\//, "") ?? "";
  return [InlineKeyboard.url(language.t("button-contact", { contact }), address)];
}

/** The most fields with a button: fewer than the 100 buttons that Telegram allows, for usability. */
const MOST_FIELDS = 60;
const TEXT_ON_BUTTON = 24;
/** What a picture can become, each with its label on a card of pictures. */
const MADE_OF_PICTURES = { image: "button-edit", video: "button-animate" } as const;
const TYPES_OF_PICTURES = ["image", "video"] as const;

/** Draws the buttons of a card. The pay button is last. While money is missing only what helps is shown. */
function formKeyboard(draft: Draft, form: CardForm, around: CardSurroundings): InlineKeyboard {
  const { language } = around;
  const { t } = language;
  const kinds = kindButtons(draft, form, around);
  const texts = kinds.length > 0 ? [] : textButtons(draft, form, around);
  const isShort = form.payable !== undefined && shortfallOf(form, around) > 0;
  const settings = [
    ...settingButtons(draft, form, form.pages.common, language),
    ...(form.pages.rare.length > 0 ? [button(draft, t("button-more"), { action: "more" })] : []),
  ];
  // Words that change a picture of the bot may have been meant for a new one.
  const isOfResult =
    draft.type === "image" && form.text !== undefined && onlyResultIn(draft.parameters) !== undefined;
  const others = [
    ...(isShort ? [] : settings),
    ...(isOfResult ? [button(draft, t("button-new-image"), { action: "fresh" })] : []),
    button(draft, t("button-models"), { action: "models" }),
    button(draft, t("button-cancel"), { action: "cancel" }),
  ];
  const isEven = (texts.length + others.length) % 2 === 0;
  const rows = isEven ? inPairs([...texts, ...others]) : [...inPairs(texts), ...inPairs(others)];
  return new InlineKeyboard([...inPairs(kinds), ...rows, ...payRows(draft, form, around)]);
}

function settingButtons(
  draft: Draft,
  form: FormState,
  fields: readonly FormField[],
  language: Language,
): InlineKeyboardButton[] {
  return fields.slice(0, MOST_FIELDS).map((field) => {
    const value = form.values[field.name];
    const setting = settingLabel(field, value, language, TEXT_ON_BUTTON);
    const label = withVersion(setting, form.model, field.name, value);
    // A toggle that changes the price has a page, which shows the price of each value.
    const isSwitch = field.kind === "toggle" && !valuePrices(form, field);
    return button(draft, label, { action: isSwitch ? "toggle" : "parameter", token: field.token });
  });
}

/** Adds the version that makes it with this value of a setting, where the model has one for it. */
function withVersion(label: string, model: Model, name: string, value: ParameterValue | undefined): string {
  const version = versionOf(model, name, value);
  return version === undefined ? label : `${label} (${version})`;
}

/**
 * Draws what asks for a text: each other way, and the main text while it is missing, or where there is no second page.
 * A card of a private chat that asks for its only text needs no button: the next message is that text.
 * After a guess the other way takes the text that is there.
 */
function textButtons(
  draft: Draft,
  form: CardForm,
  { language, isGroup }: CardSurroundings,
): InlineKeyboardButton[] {
  const { mainText, text, ways, pages, fields, missing } = form;
  if (mainText === undefined) return [];
  const isAskedAbove = !isGroup && missing.some(({ kind }) => kind === "text");
  const isHere = isAskedAbove ? ways.length > 0 : text === undefined || pages.rare.length === 0;
  const main = isHere ? [writeButton(draft, form, mainText, language)] : [];
  if (ways.length === 0) return main;
  const guessed = guessedFrom(fields, draft);
  return ways.flatMap(({ text: name }) => {
    if (name === mainText) return main;
    if (name !== guessed?.text) return [writeButton(draft, form, name, language)];
    const token = tokenOf(form, name);
    return [button(draft, language.t(`button-retake-${textKey(name)}`), { action: "retake", token })];
  });
}

function writeButton(draft: Draft, form: FormState, name: string, language: Language): InlineKeyboardButton {
  const keys = [`button-write-${textKey(name)}`, "button-write"];
  const label = firstText(language, keys, { name: parameterName(name, language) });
  const isWay = form.ways.some(({ text }) => text === name);
  const action: CardAction = isWay
    ? { action: "write_way", token: tokenOf(form, name) }
    : { action: "write" };
  return button(draft, label, action);
}

function tokenOf({ fields }: FormState, name: string): string {
  return fieldNamed(fields, name)?.token ?? name;
}

/** Offers what pictures can become: on a music card, and as long as nobody has said what to make of them. */
function kindButtons(
  draft: Draft,
  { fields, values, text }: FormState,
  { allModels, language: { t } }: CardSurroundings,
): InlineKeyboardButton[] {
  const { type: own } = draft;
  const isMusic = own === "music";
  const isIdle = fields.pictures.length === 0 && heldPictures(draft.parameters) > 0;
  if (isMusic ? !isIdle : text !== undefined || picturesUsed(fields, values) === 0) return [];
  const types = TYPES_OF_PICTURES.filter(
    (type) => type === own || allModels.some((model) => model.type === type && takesPicture(model)),
  );
  if (isMusic) return types.map((type) => button(draft, t(`button-as-${type}`), { action: "type", type }));
  if (types.length < 2) return [];
  return types.map((type) =>
    button(draft, t(MADE_OF_PICTURES[type]), type === own ? { action: "write" } : { action: "type", type }),
  );
}

const CHOICES_IN_A_ROW = 4;
const VALUE_TEXT_SHOWN = 700;

function renderParameter(
  draft: Draft,
  form: CardForm,
  field: FormField,
  { language, isGroup }: CardSurroundings,
): CardMessage {
  const { t } = language;
  // Includes pictures that the model does not take.
  const value = field.kind === "pictures" ? draft.parameters[field.name] : form.values[field.name];
  const choices = choiceButtons(draft, form, field, language);
  const rows = inRows([...choices, ...removeButtons(draft, field, value)], CHOICES_IN_A_ROW);
  const ofPictures = field.kind === "pictures" && (field.isList ? "button-remove-all" : "button-remove");
  const canBeCleared = ofPictures || field.kind === "text" || (field.kind === "choice" && field.canBeUnset);
  if (value !== undefined && canBeCleared)
    rows.push([button(draft, t(ofPictures || "button-clear"), { action: "clear", token: field.token })]);
  const isRare = form.pages.rare.some(({ name }) => name === field.name);
  rows.push([button(draft, t("button-back"), { action: isRare ? "more" : "card" })]);

  const head = `${titleOf(form.model, form.values)}\n${parameterQuestion(field.name, language)}`;
  const parts = [`${head}${currentOf(field, value, language)}`, ...howToAnswer(field, language, isGroup)];
  const pictures = field.kind === "pictures" ? 0 : heldPictures(draft.parameters);
  if (pictures > 0 && wordsFor(field, language)) parts.push(t("pictures-given", { count: pictures }));
  return { text: parts.join("\n\n"), keyboard: new InlineKeyboard(rows) };
}

/** Tells how to answer and how to cancel a question. Empty for a parameter with buttons only. */
function howToAnswer(field: FormField, language: Language, isGroup: boolean): string[] {
  const { t } = language;
  const asked = wordsFor(field, language);
  if (asked === undefined) return [];
  return [[asked, ...(isGroup ? [t("page-by-reply")] : []), t("page-back")].join(" ")];
}

function choiceButtons(
  draft: Draft,
  form: FormState,
  field: FormField,
  language: Language,
): InlineKeyboardButton[] {
  const { name, token } = field;
  const prices = valuePrices(form, field);
  const current = field.kind === "toggle" ? form.values[name] === true : form.values[name];
  return field.choices.map((choice, index) => {
    const mark = choice === current ? "• " : "";
    const price = prices?.get(choice);
    const value = `${mark}${valueName(field, choice, language)}`;
    const label = withVersion(value, form.model, name, choice);
    const priced = price === undefined ? label : `${label} · ${language.money(price)}`;
    return button(draft, priced, { action: "value", token, index });
  });
}

function removeButtons(
  draft: Draft,
  field: FormField,
  value: ParameterValue | undefined,
): InlineKeyboardButton[] {
  if (field.kind !== "pictures" || !field.isList) return [];
  const { token } = field;
  return picturesIn(value).map((_picture, index) =>
    button(draft, `🗑 ${index + 1}`, { action: "remove", token, index }),
  );
}

function currentOf(field: FormField, value: ParameterValue | undefined, language: Language): string {
  if (value === undefined) return "";
  if (field.kind === "text") {
    return `\n<blockquote>${escapeHtml(settingName(field, value, language, VALUE_TEXT_SHOWN))}</blockquote>`;
  }
  if (field.kind !== "pictures") return "";
  const pictures = picturesIn(value);
  const names = pictures.map((picture, index) => {
    const words = isHere(picture)
      ? language.t("picture-of-chat", { number: index + 1 })
      : `${index + 1}. ${shortLink(picture)}`;
    const shown = escapeHtml(words);
    return index < field.max ? shown : `<s>${shown}</s>`;
  });
  return `\n${names.join(pictures.every(isHere) ? ", " : "\n")}`;
}

/** Tells that a video leaves out the edges of its first frame, and which models would not. */
function cropPart(
  { fields, values }: FormState,
  { pictureShape, models, language: { t } }: CardSurroundings,
): string[] {
  const picture = croppedRatio(fields, values, pictureShape);
  if (picture === undefined || pictureShape === undefined) return [];
  const cropped = t("picture-cropped", { picture, video: String(values.aspect_ratio) });
  const whole = modelsForPicture(offeredModels(models), "video").filter((model) =>
    makesShape(fieldsOf(model), pictureShape),
  );
  const names = whole.slice(0, MODELS_NAMED).map((model) => escapeHtml(versionTitle(model, {})));
  return [
    names.length === 0 ? cropped : `${cropped} ${t("picture-cropped-else", { names: names.join(", ") })}`,
  ];
}

/** The most models on a page: a message has a maximum length. */
const MODELS_ON_A_PAGE = 10;
const ABOUT_SHOWN = 160;
const IN_A_ROW = 2;
/** The most models with empty lines between them: a longer list has none, so that it fits the screen of a phone. */
const LINES_APART = 5;

/** Lists the models in the order of the catalogue. Marks the current one, and those that take no photo. */
function renderModels(draft: Draft, { models: known, language }: CardSurroundings): CardMessage {
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
    return button(draft, label, { action: "model", token: modelToken(model.model_key) });
  });
  const rows = inRows(choices, IN_A_ROW);
  const turn = (by: number): CardAction => ({ action: "page", page: (page + by + pages) % pages });
  if (pages > 1) rows.push([button(draft, "◀️", turn(-1)), button(draft, "▶️", turn(1))]);
  const back = button(draft, t("button-back"), { action: "card" });
  const cancel = button(draft, t("button-cancel"), { action: "cancel" });
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
  const lowest = lowestPriceKopecks(model);
  const price =
    lowest === undefined
      ? ""
      : ` · ${shownPrice({ kopecks: lowest, isExact: isFixedPrice(model) }, language)}`;
  return [
    `${titleOf(model)}${price}${noteLine(model, language)}`,
    ...(typeof about === "string" && about !== "" ? [escapeHtml(cutText(about, ABOUT_SHOWN))] : []),
    ...(needsPicture(model) ? [`📷 ${t("models-need-photo")}`] : []),
    ...(hasPictures && !takesPicture(model) ? [`🚫 ${t("models-no-photo")}`] : []),
  ].join("\n");
}

const TEXT_IN_LINE = 60;
const LINE_SHOWN = 1500;

export function renderCard(draft: Draft, around: CardSurroundings): CardMessage {
  const { text, keyboard } = renderView(draft, around);
  const { isGroup, ownerName } = around;
  return { text: isGroup ? `👤 ${escapeHtml(ownerName)}\n${text}` : text, keyboard };
}

export function showsBalance(draft: Draft, models: readonly Model[]): boolean {
  return pageOf(draft, models).kind === "card";
}

function renderView(draft: Draft, around: CardSurroundings): CardMessage {
  const page = pageOf(draft, around.models);
  if (page.kind === "models") return renderModels(draft, around);
  const evaluated = evaluateForm(page.model, draft);
  const form = { ...evaluated, pages: pagesOf(evaluated) };
  if (page.kind === "replace") return renderReplace(draft, form, page.view, around.language);
  if (page.kind === "text") return renderTextPage(draft, form, page.field, around);
  if (page.kind === "parameter") return renderParameter(draft, form, page.field, around);
  const hasMore = draft.view.kind === "more" && form.pages.rare.length > 0;
  return hasMore ? renderMore(draft, form, around) : renderForm(draft, form, around);
}

type Page =
  | { kind: "models" }
  | { kind: "card"; model: Model }
  | { kind: "replace"; model: Model; view: Extract<View, { kind: "replace" }> }
  | { kind: "text"; model: Model; field: FormField }
  | { kind: "parameter"; model: Model; field: FormField };

/** Tells what the card shows. The view may name a model or parameter that has left the catalogue. */
function pageOf({ view, modelKey, parameters }: Draft, models: readonly Model[]): Page {
  const model = models.find(({ model_key }) => model_key === modelKey);
  if (view.kind === "models" || !model) return { kind: "models" };
  if (view.kind === "replace") return { kind: "replace", model, view };
  if (view.kind !== "text" && view.kind !== "parameter") return { kind: "card", model };
  const fields = fieldsOf(model);
  const name = view.kind === "text" ? mainTextName(fields, parameters) : view.name;
  const field = name === undefined ? undefined : fieldNamed(fields, name);
  return field ? { kind: view.kind, model, field } : { kind: "card", model };
}

function renderForm(draft: Draft, form: CardForm, around: CardSurroundings): CardMessage {
  const { language, isGroup, models } = around;
  const { model, missing } = form;
  const rare = changedSettings(form, language);
  const parts = [
    `${titleLine(model, form.values, around)}${noteLine(model, language)}`,
    ...mainTextPart(draft, form, language),
    ...picturesPart(form, language),
    ...(rare === "" ? [] : [language.t("card-more", { settings: rare })]),
    ...missing.map((one) => missingText(one, form, language, isGroup)),
    ...noticesOf(form, draft.parameters)
      .map((notice) => noticeText(notice, models, language))
      .filter(Boolean),
    ...cropPart(form, around),
    ...sumsOf(form, around),
  ].filter(Boolean);
  return { text: parts.join("\n\n"), keyboard: formKeyboard(draft, form, around) };
}

function renderMore(draft: Draft, form: CardForm, around: CardSurroundings): CardMessage {
  const { language } = around;
  const { mainText, pages } = form;
  const write = mainText === undefined ? [] : [writeButton(draft, form, mainText, language)];
  const buttons = [...write, ...settingButtons(draft, form, pages.rare, language)];
  const back = button(draft, language.t("button-back"), { action: "card" });
  return {
    text: `${titleLine(form.model, form.values, around)}\n${language.t("more-title")}`,
    keyboard: new InlineKeyboard([...inPairs(buttons), [back]]),
  };
}

/** Lists the settings of the second page that differ from their defaults. Pictures have a line of their own. */
function changedSettings({ model, fields, pages, values }: CardForm, language: Language): string {
  const { [fields.mode?.name ?? ""]: _chosen, ...given } = values;
  const settings = pages.rare.flatMap((field) => {
    const { name, kind } = field;
    const value = values[name];
    const usual = name === fields.mode?.name ? modeValue(fields, given) : usualOf(model, name);
    if (kind === "pictures" || value === undefined || value === usual) return [];
    return [withVersion(settingLabel(field, value, language, TEXT_IN_LINE), model, name, value)];
  });
  return escapeHtml(cutText(settings.join(" · "), LINE_SHOWN));
}

function mainTextPart(draft: Draft, { mainText, text, fields }: FormState, language: Language): string[] {
  if (text === undefined || mainText === undefined) return [];
  const quoted = quotedText(parameterName(mainText, language), text);
  return guessedFrom(fields, draft) ? [quoted, language.t(`guessed-${textKey(mainText)}`)] : [quoted];
}

/** Tells how many pictures go along, where neither a button of the card does nor the message that it replies to. */
function picturesPart({ fields, pages, values }: CardForm, { t }: Language): string[] {
  const count = picturesUsed(fields, values);
  const isTold = pages.common.some(({ kind }) => kind === "pictures");
  const isQuoted = count === 1 && onlyResultIn(values) !== undefined;
  return count === 0 || isTold || isQuoted ? [] : [t("pictures-given", { count })];
}

export function modelByToken(models: readonly Model[], token: string): Model | undefined {
  return models.find(({ model_key }) => modelToken(model_key) === token);
}

/** Asks whether a single word replaces the whole main text. */
function renderReplace(
  draft: Draft,
  { model, mainText = "prompt", text: before = "" }: FormState,
  { text }: Extract<View, { kind: "replace" }>,
  language: Language,
): CardMessage {
  const { t } = language;
  const name = parameterName(mainText, language);
  const parts = [
    `${titleOf(model)}\n${t("replace-question", { name: escapeHtml(name), text: escapeHtml(text) })}`,
    quotedText(name, before),
  ];
  const buttons = [
    button(draft, t("button-replace"), { action: "replace" }),
    button(draft, t("button-keep"), { action: "card" }),
  ];
  return { text: parts.join("\n\n"), keyboard: new InlineKeyboard([buttons]) };
}

/** Asks for the main text, and shows the text that an answer replaces. */
function renderTextPage(
  draft: Draft,
  { model, fields, values, text }: FormState,
  field: FormField,
  { language, isGroup }: CardSurroundings,
): CardMessage {
  const { name } = field;
  const asked = textWords("ask", name, draft.type, values, picturesUsed(fields, values), language);
  const parts = [`${titleOf(model, values)}\n${asked}`];
  if (text !== undefined) parts.push(quotedText(parameterName(name, language), text));
  parts.push(...howToAnswer(field, language, isGroup));
  const back = button(draft, language.t("button-back"), { action: "card" });
  return { text: parts.join("\n\n"), keyboard: new InlineKeyboard([[back]]) };
}
