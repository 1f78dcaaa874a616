import { Unavailable } from "../../../contract/errors.js";
import { NO_KOPECKS } from "../../../contract/money.js";
import { type GatewayJob, type Gateways, NOT_CONNECTED } from "../../../ports/gateway.js";
import { shapeOfRatio, withAutoFormat } from "../../card/form/auto-format.js";
import { fieldsOf, type Parameters } from "../../card/form/fields.js";
import { withMainText } from "../../card/form/main-text.js";
import { heldPictures, placePicture, resultPicture, START_FRAME } from "../../card/form/picture-fields.js";
import { modelsForPicture } from "../../card/form/picture-models.js";
import { withOneImage } from "../../card/form/starting-parameters.js";
import type { PictureShapes } from "../../card/pictures/picture-shapes.js";
import type { Pictures } from "../../card/pictures/pictures.js";
import type { BotContext } from "../../context.js";
import { jobIdOf } from "../../orders/delivery/file-sender.js";
import { resultActions } from "../../orders/delivery/result-actions.js";
import { resultKeyboard, whichPictureKeyboard } from "../../orders/delivery/result-keyboard.js";
import { summaryText } from "../../orders/delivery/summary.js";
import type { PictureAction } from "../../orders/order-data.js";
import type { Order } from "../../orders/store/order.js";
import type { OrderStore } from "../../orders/store/order-store.js";
import { editOrIgnore } from "../../telegram/edit-or-ignore.js";
import { isPrivate } from "../../telegram/place.js";
import { answerTap } from "../../telegram/tap-answers.js";
import { askOnCard } from "../compose/card-question.js";
import { preferredModel } from "../compose/open-card.js";
import { openOnce, type ResultCardDeps } from "./open-once.js";

export interface FromPictureDeps extends ResultCardDeps {
  orders: OrderStore;
  pictures: Pictures;
  shapes: PictureShapes;
  gateways: Gateways;
  supportContact: string | undefined;
  requestBytesMax: number;
}

/** Opens a card with a picture of the order. An album asks first which one to use. Throws PictureRefusedError. */
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
  await deps.pictures.linkTo(ctx, picture);
  await open(ctx, order, action, picture, deps);
  if (index !== undefined) await showSummary(ctx, order, deps);
}

/** Asks which picture to use. The question takes the place of the album's summary until it is answered or left. */
async function askWhich(
  ctx: BotContext,
  { id }: Order,
  action: PictureAction,
  sent: readonly number[],
): Promise<void> {
  const { language } = ctx;
  const keyboard = whichPictureKeyboard(id, action, sent, language);
  await answerTap(ctx);
  await editOrIgnore(ctx.editMessageText(language.t(`which-picture-${action}`), { reply_markup: keyboard }));
}

export async function showActions(ctx: BotContext, order: Order, deps: FromPictureDeps): Promise<void> {
  await answerTap(ctx);
  await showSummary(ctx, order, deps);
}

async function showSummary(ctx: BotContext, order: Order, deps: FromPictureDeps): Promise<void> {
  const jobs = await jobsOf(ctx, order, deps);
  if (!jobs) return redrawActions(ctx, order, deps);
  const sent = deps.orders.findDelivery(order.id)?.files.length ?? 0;
  const { language } = ctx;
  const nothingElse = { undeliverable: [], lostRefundKopecks: NO_KOPECKS, balanceKopecks: undefined };
  const { supportContact, requestBytesMax } = deps;
  const facts = { order, jobs, sent, language, supportContact, requestBytesMax, ...nothingElse };
  const text = summaryText(facts);
  if (text === undefined) return redrawActions(ctx, order, deps);
  const reply_markup = await actionsKeyboard(ctx, order, deps);
  await editOrIgnore(ctx.editMessageText(text, { parse_mode: "HTML", reply_markup }));
}

/** Finds the jobs. Undefined where a service elsewhere does not tell them. */
async function jobsOf(
  { person }: BotContext,
  { id, jobIds }: Order,
  { gateways }: FromPictureDeps,
): Promise<readonly GatewayJob[] | undefined> {
  const gateway = await gateways.ofOrder(id, person);
  if (gateway === NOT_CONNECTED) return undefined;
  return Promise.all(jobIds.map((jobId) => gateway.job(jobId))).catch((error: unknown) => {
    if (error instanceof Unavailable) return undefined;
    throw error;
  });
}

export async function redrawActions(ctx: BotContext, order: Order, deps: FromPictureDeps): Promise<void> {
  const reply_markup = await actionsKeyboard(ctx, order, deps);
  await editOrIgnore(ctx.editMessageReplyMarkup({ reply_markup }));
}

async function actionsKeyboard(
  ctx: BotContext,
  order: Order,
  { orders, cards }: FromPictureDeps,
): Promise<ReturnType<typeof resultKeyboard>> {
  const types = [...new Set(["image", "video", order.request.type] as const)];
  const models = (await Promise.all(types.map((type) => cards.models(ctx, type)))).flat();
  const count = orders.findDelivery(order.id)?.files.length ?? 0;
  const offer = count > 0 ? ({ kind: "originals", count } as const) : ({ kind: "nothing" } as const);
  const taken = orders.takesOf(order.id)?.taken;
  return resultKeyboard(order, offer, resultActions(order, models), ctx.language, taken);
}

/** Returns the positions of the jobs whose pictures were sent, in the order that the chat shows. */
function sentIndexes({ id, request }: Order, { orders }: FromPictureDeps): readonly number[] {
  if (request.type !== "image") return [];
  return orders.findDelivery(id)?.files.map(({ index }) => index) ?? [];
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
  const able = modelsForPicture(await deps.cards.models(ctx, type), type);
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
