import { Unavailable } from "../../../contract/errors.js";
import { NO_KOPECKS } from "../../../contract/money.js";
import { type GatewayJob, type Gateways, NOT_CONNECTED } from "../../../ports/gateway.js";
import { askOnCard } from "../../card/ask.js";
import { preferredModel } from "../../card/open-card.js";
import { type BotContext, isPrivate } from "../../context.js";
import { shapeOfRatio, withAutoFormat } from "../../form/auto-format.js";
import { fieldsOf, type Parameters } from "../../form/fields.js";
import { withMainText } from "../../form/main-text.js";
import { heldPictures, placePicture, resultPicture, START_FRAME } from "../../form/picture-fields.js";
import { modelsForPicture } from "../../form/picture-models.js";
import { withOneImage } from "../../form/starting-parameters.js";
import { alertTap, answerTap } from "../../middleware/tap-answers.js";
import { jobIdOf } from "../../orders/delivery/file-sender.js";
import { resultActions } from "../../orders/delivery/result-actions.js";
import { resultKeyboard, whichPictureKeyboard } from "../../orders/delivery/result-keyboard.js";
import { summaryText } from "../../orders/delivery/summary.js";
import type { PictureAction } from "../../orders/order-data.js";
import type { OrderService } from "../../orders/order-service.js";
import type { Order } from "../../orders/store/order.js";
import type { PictureShapes } from "../../pictures/picture-shapes.js";
import { PictureRefusedError, type Pictures } from "../../pictures/pictures.js";
import { isNothingToEdit } from "../../telegram/failure.js";
import { openOnce, type ResultCardDeps } from "./open-once.js";

export interface FromPictureDeps extends ResultCardDeps {
  orders: OrderService;
  pictures: Pictures;
  shapes: PictureShapes;
  gateways: Gateways;
  supportContact: string | undefined;
}

/** Opens a card with a picture of the order. An album asks first which one to use. */
export async function beginFromPicture(
  ctx: BotContext,
  order: Order,
  { action, index }: { action: PictureAction; index?: number },
  deps: FromPictureDeps,
): Promise<void> {
  const sent = sentIndexes(order, deps);
  const [only] = sent;
  if (only === undefined || (index !== undefined && !sent.includes(index)))
    return answerTap(ctx, ctx.language.t("tap-unknown"));
  if (index === undefined && sent.length > 1) return askWhich(ctx, order, action, sent);
  const picture = resultPicture(jobIdOf(order, { index: index ?? only, track: 0 }));
  const ratio = shapeOfRatio(order.request.aspect_ratio);
  deps.shapes.note(picture, ratio ?? ctx.callbackQuery?.message?.photo?.at(-1));
  if (!(await isKept(ctx, picture, deps))) return;
  await open(ctx, order, action, picture, deps);
  if (index !== undefined) await showSummary(ctx, order, deps);
}

/** The question takes the place of the album's summary, until it is answered or left. */
async function askWhich(
  ctx: BotContext,
  { id }: Order,
  action: PictureAction,
  sent: readonly number[],
): Promise<void> {
  const { language } = ctx;
  const keyboard = whichPictureKeyboard(id, action, sent, language);
  await answerTap(ctx);
  await edit(() => ctx.editMessageText(language.t(`which-picture-${action}`), { reply_markup: keyboard }));
}

export async function showActions(ctx: BotContext, order: Order, deps: FromPictureDeps): Promise<void> {
  await answerTap(ctx);
  await showSummary(ctx, order, deps);
}

/** Gives the message of an album its words and buttons back. */
async function showSummary(ctx: BotContext, order: Order, deps: FromPictureDeps): Promise<void> {
  const jobs = await jobsOf(ctx, order, deps);
  if (!jobs) return redrawActions(ctx, order, deps);
  const sent = deps.orders.orders.findDelivery(order.id)?.files.length ?? 0;
  const { language } = ctx;
  const nothingElse = { undeliverable: [], lostRefundKopecks: NO_KOPECKS, balanceKopecks: undefined };
  const facts = { order, jobs, sent, language, supportContact: deps.supportContact, ...nothingElse };
  const text = summaryText(facts);
  if (text === undefined) return redrawActions(ctx, order, deps);
  const reply_markup = await actionsKeyboard(ctx, order, deps);
  await edit(() => ctx.editMessageText(text, { parse_mode: "HTML", reply_markup }));
}

/** Undefined where a service elsewhere does not tell them. */
async function jobsOf(
  { person }: BotContext,
  { id, jobIds }: Order,
  { gateways }: FromPictureDeps,
): Promise<readonly GatewayJob[] | undefined> {
  const gateway = await gateways.of(person, id);
  if (gateway === NOT_CONNECTED) return undefined;
  return Promise.all(jobIds.map((jobId) => gateway.job(jobId))).catch((error: unknown) => {
    if (error instanceof Unavailable) return undefined;
    throw error;
  });
}

export async function redrawActions(ctx: BotContext, order: Order, deps: FromPictureDeps): Promise<void> {
  const reply_markup = await actionsKeyboard(ctx, order, deps);
  await edit(() => ctx.editMessageReplyMarkup({ reply_markup }));
}

async function actionsKeyboard(
  ctx: BotContext,
  order: Order,
  { orders, cards }: FromPictureDeps,
): Promise<ReturnType<typeof resultKeyboard>> {
  const types = [...new Set(["image", "video", order.request.type] as const)];
  const models = (await Promise.all(types.map((type) => cards.models(ctx.person, type)))).flat();
  const count = orders.orders.findDelivery(order.id)?.files.length ?? 0;
  const offer = count > 0 ? ({ kind: "originals", count } as const) : ({ kind: "nothing" } as const);
  const taken = orders.orders.takesOf(order.id)?.taken;
  return resultKeyboard(order, offer, resultActions(order, models), ctx.language, taken);
}

/** Positions of the jobs whose pictures were sent, in the order that the chat shows. */
function sentIndexes({ id, request }: Order, { orders }: FromPictureDeps): readonly number[] {
  if (request.type !== "image") return [];
  return orders.orders.findDelivery(id)?.files.map(({ index }) => index) ?? [];
}

/** False, after an alert, when the picture cannot be used. */
async function isKept(ctx: BotContext, picture: string, { pictures }: FromPictureDeps): Promise<boolean> {
  try {
    await pictures.linkTo(ctx.person, picture);
    return true;
  } catch (error) {
    if (!(error instanceof PictureRefusedError)) throw error;
    const words = ctx.language.t(`picture-${error.fault}`);
    if (!(await alertTap(ctx, words))) await ctx.reply(words);
    return false;
  }
}

async function open(
  ctx: BotContext,
  { request }: Order,
  action: PictureAction,
  picture: string,
  deps: FromPictureDeps,
): Promise<void> {
  const { t } = ctx.language;
  const type = action === "edit" ? "image" : "video";
  const able = modelsForPicture(await deps.cards.models(ctx.person, type), type);
  const model = preferredModel(able, [request.model_key ?? "", ...deps.drafts.lastModels(ctx.person.id)]);
  if (!model) return answerTap(ctx, t("picture-no-model"), { isAlert: true });
  const fields = fieldsOf(model);
  const start = deps.cards.startingParameters(ctx.person, model);
  const placed = placePicture(fields, start, picture, START_FRAME);
  const used = placed.kind === "placed" ? placed.parameters : start;
  const begun = withAutoFormat(fields, used, [], deps.shapes.of(picture));
  const held = action === "edit" ? withOneImage(fields, begun) : begun;
  // An image's prompt also describes its video. That of an edit describes only the change.
  const isEdited = heldPictures(request as Parameters) > 0;
  const prompt = action === "animate" && !isEdited ? request.prompt : undefined;
  const isAsked = prompt === undefined && !isPrivate(ctx);
  const opening = {
    type,
    model,
    parameters: prompt === undefined ? held : withMainText(held, fields, prompt),
  } as const;
  const [draft] = await Promise.all([
    openOnce(ctx, opening, deps),
    answerTap(ctx, t(action === "edit" ? "edit-how" : isEdited ? "animate-edited-how" : "animate-how")),
  ]);
  if (draft) await askOnCard(ctx, draft, model, isAsked ? { kind: "text" } : undefined);
}

async function edit(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isNothingToEdit(error)) throw error;
  }
}
