import { isDeepStrictEqual } from "node:util";
import { Composer } from "grammy";
import { isJobNotFound, Unavailable } from "../../contract/errors.js";
import { versionTitle } from "../../contract/model.js";
import { asKopecks, NO_KOPECKS } from "../../contract/price.js";
import { BoundedMap } from "../../platform/bounded-map.js";
import { type GatewayJob, NOT_CONNECTED } from "../../ports/gateway.js";
import type { Opening } from "../card/card-messages.js";
import { leftOutText } from "../card/card-words.js";
import type { Draft, View } from "../card/draft-store.js";
import { shapeOfRatio, withAutoFormat } from "../card/form/auto-format.js";
import { composedAgain } from "../card/form/change-model.js";
import { evaluateForm } from "../card/form/evaluate-form.js";
import { fieldsOf, type Parameters } from "../card/form/fields.js";
import { modelsForPicture, otherModel } from "../card/form/fitting-models.js";
import { heldPictures, placePicture, resultPicture, START_FRAME } from "../card/form/picture-fields.js";
import { startingParameters } from "../card/form/starting-parameters.js";
import type { BotContext } from "../context.js";
import type { Feature } from "../feature.js";
import { taps } from "../middleware.js";
import type { BotModules } from "../modules.js";
import { summaryText } from "../orders/delivery/deliver.js";
import { sendOriginals } from "../orders/delivery/originals.js";
import { jobIdOf } from "../orders/delivery/outgoing-file.js";
import {
  type OrderData,
  orderData,
  type PictureAction,
  resultActions,
  resultKeyboard,
  styleField,
  whichPictureKeyboard,
} from "../orders/delivery/result-keyboard.js";
import type { Order } from "../orders/order.js";
import { connectedGateway } from "../people/balance-words.js";
import { chatPlaceOf } from "../telegram/place.js";
import { alertOrReply, alertTap, answerTap, editOrIgnore } from "../telegram/tap-answers.js";
import { tellPayment } from "./compose/card.js";
import { askOnCard, openAt, preferredModel } from "./compose/open-kind.js";

/** Milliseconds in which a tap on a button that was just drawn anew counts as a double tap. */
const DRAWN_ANEW_MS = 3000;

/** What a second tap is told. */
type TapWords = "another-ordered" | "another-price-changed";

/** Buttons of results that were drawn anew, by order: when on the monotonic clock, and what a double tap is told. */
type Drawn = BoundedMap<string, { at: number; words: TapWords }>;

/**
 * Orders a further take of a result at the price on its button: the same request with another seed. Each drawn
 * button orders once. Where the request is not what it was, or has another price, its card is opened instead.
 */
async function orderAnother(
  ctx: BotContext,
  order: Order,
  take: Extract<OrderData, { action: "take" }>,
  drawn: Drawn,
  bot: BotModules,
): Promise<void> {
  const place = chatPlaceOf(ctx);
  if (!place) return answerTap(ctx);
  const drawAnew = async (words?: TapWords) => {
    // A tap on the old button is answered as well.
    await redrawActions(ctx, order, bot).catch((error: unknown) =>
      bot.logger.warn({ order_id: order.id, err: error }, "button of a result not drawn anew"),
    );
    if (words) drawn.set(order.id, { at: bot.clock.monotonic(), words });
  };
  const takes = bot.orders.takesOf(order.id);
  const last = drawn.get(order.id);
  const justTold = last && bot.clock.monotonic() - last.at < DRAWN_ANEW_MS ? last.words : undefined;
  // After a crash a button that has ordered may still be drawn.
  const words = (takes?.taken ?? 0) === take.number ? justTold : "another-ordered";
  if (words) {
    const isUnanswered = bot.orderService.checkout.isUnanswered(({ id }) => id === takes?.last_order_id);
    await answerTap(ctx, ctx.language.t(isUnanswered ? "pay-slow" : words));
    return drawAnew(words);
  }
  const again = await recompose(ctx, order, bot);
  if (!again) return;
  const quotedKopecks = asKopecks(take.kopecks);
  const { form, hasLostPictures, parameters, chosen } = again;
  if (hasLostPictures || form.payable !== quotedKopecks) {
    const why = form.payable === undefined ? undefined : ctx.language.t("another-price-changed");
    await openRecomposed(ctx, again, bot, { words: why });
    return drawAnew(hasLostPictures ? undefined : "another-price-changed");
  }
  const gateway = connectedGateway(ctx);
  const request = await bot.pictures.published(ctx, form.request);
  const { model } = form;
  const payment = await bot.orderService.pay(gateway, {
    of: order,
    number: take.number,
    draft: {
      ...place,
      userId: ctx.person.id,
      view: { kind: "card" },
      type: model.type,
      modelKey: model.model_key,
      parameters,
      chosen,
      promptMessageId: null,
      takenMessageId: null,
      pictureMessages: {},
    },
    userName: ctx.person.name,
    modelTitle: versionTitle(model, request),
    request,
    quotedKopecks,
  });
  await tellPayment(ctx, payment, quotedKopecks, bot);
  // Of one that was refused nothing has changed: another tap is told why once more.
  const isOrdered = ["accepted", "uncertain", "stale"].includes(payment.kind);
  await drawAnew(
    payment.kind === "price_changed" ? "another-price-changed" : isOrdered ? "another-ordered" : undefined,
  );
}

/** The number of remembered buttons. One that is forgotten may take the second tap of a double one for a new wish. */
const BUTTONS_REMEMBERED = 2000;

export function resultsFeature(bot: BotModules): Feature {
  const drawn: Drawn = new BoundedMap(BUTTONS_REMEMBERED);
  const composer = new Composer<BotContext>();
  composer.use(
    taps(orderData, async (ctx, data) => {
      const { t } = ctx.language;
      const order = bot.orders.find(data.orderId);
      if (!order) return answerTap(ctx, t("tap-unknown"));
      if (order.userId !== ctx.person.id) return alertTap(ctx, t("tap-not-yours"));
      if (ctx.tap?.isRepeated && !REPEATABLE.has(data.action)) return answerTap(ctx);
      await handle(ctx, order, data, drawn, bot);
    }),
  );
  return { composer };
}

/** What a double tap does no harm to. */
const REPEATABLE: ReadonlySet<OrderData["action"]> = new Set(["deliver", "original", "link", "actions"]);

async function handle(
  ctx: BotContext,
  order: Order,
  data: OrderData,
  drawn: Drawn,
  bot: BotModules,
): Promise<void> {
  switch (data.action) {
    case "deliver":
      return deliverExpired(ctx, order, bot);
    case "original":
    case "link":
      return handOverOriginals(ctx, order, data.action, bot);
    case "actions":
      await answerTap(ctx);
      return showSummary(ctx, order, bot);
    case "again":
    case "restyle":
      return composeAgain(ctx, order, data.action === "restyle" ? "style" : { kind: "card" }, bot);
    case "model":
      return composeOnOther(ctx, order, bot);
    case "take":
      return orderAnother(ctx, order, data, drawn, bot);
    case "picture":
    case "one_picture":
      return beginFromPicture(ctx, order, data, bot);
  }
}

/** Sends the files that expired while the person was unreachable. */
async function deliverExpired(
  ctx: BotContext,
  order: Order,
  { orders, orderService }: BotModules,
): Promise<void> {
  const { t } = ctx.language;
  const reopened = await orderService.deliverExpired(ctx.person.id);
  const isComing = reopened > 0 || orders.findDelivery(order.id)?.state === "pending";
  await answerTap(ctx, t(isComing ? "delivery-coming" : "delivery-over"));
}

async function handOverOriginals(
  ctx: BotContext,
  order: Order,
  action: "original" | "link",
  bot: BotModules,
): Promise<void> {
  const { orders, gateways } = bot;
  const { language, chatId } = ctx;
  const delivery = orders.findDelivery(order.id);
  if (!delivery || chatId === undefined) return answerTap(ctx, language.t("tap-unknown"));
  await answerTap(ctx, language.t(action === "link" ? "link-coming" : "originals-coming"));
  // The first tap is already sending them.
  if (ctx.tap?.isRepeated) return;
  const gateway = connectedGateway({ gateway: await gateways.ofOrder(order.id, ctx.person) });
  const here = { ...order, chatId };
  const onArrived = () => ctx.tap?.conclude();
  await sendOriginals({ order: here, delivery, gateway, language, onArrived }, bot).catch(
    (error: unknown) => {
      if (!isJobNotFound(error)) throw error;
      return bot.outbox.say(here, { text: language.t("originals-gone") });
    },
  );
}

/** Opens a card with a picture of the order. An album asks first which one to use. Throws PictureRefusedError. */
async function beginFromPicture(
  ctx: BotContext,
  order: Order,
  { made, index }: { made: PictureAction; index?: number },
  bot: BotModules,
): Promise<void> {
  const isPicture = order.request.type === "image";
  const delivery = isPicture ? bot.orders.findDelivery(order.id) : undefined;
  const known = delivery?.files.map((file) => file.index) ?? [];
  // The only picture of an order has its buttons before the commit that records it.
  const sent = known.length === 0 && delivery?.state === "pending" ? [0] : known;
  const [only] = sent;
  if (only === undefined || (index !== undefined && !sent.includes(index)))
    return answerTap(ctx, ctx.language.t("tap-unknown"));
  if (index === undefined && sent.length > 1) {
    // The question takes the place of the album's summary until it is answered or left.
    const reply_markup = whichPictureKeyboard(order.id, made, sent, ctx.language);
    await answerTap(ctx);
    await editOrIgnore(ctx.editMessageText(ctx.language.t(`which-picture-${made}`), { reply_markup }));
    return;
  }
  const picture = resultPicture(jobIdOf(order, { index: index ?? only, track: 0 }));
  const ratio = shapeOfRatio(order.request.aspect_ratio);
  bot.shapes.note(picture, ratio ?? ctx.callbackQuery?.message?.photo?.at(-1));
  await bot.pictures.linkTo(ctx, picture);
  await open(ctx, order, made, picture, bot);
  if (index !== undefined) await showSummary(ctx, order, bot);
}

async function showSummary(ctx: BotContext, order: Order, bot: BotModules): Promise<void> {
  const jobs = await jobsOf(ctx, order, bot);
  if (!jobs) return redrawActions(ctx, order, bot);
  const sent = bot.orders.findDelivery(order.id)?.files.length ?? 0;
  const { language } = ctx;
  const nothingElse = { undeliverable: [], lostRefundKopecks: NO_KOPECKS, balance: undefined };
  const { supportContact, requestBytesMax } = bot;
  const facts = { order, jobs, sent, language, supportContact, requestBytesMax, ...nothingElse };
  const text = summaryText(facts);
  if (text === undefined) return redrawActions(ctx, order, bot);
  const reply_markup = await actionsKeyboard(ctx, order, bot);
  await editOrIgnore(ctx.editMessageText(text, { parse_mode: "HTML", reply_markup }));
}

/** Finds the jobs. Undefined where a service elsewhere does not tell them, or knows them no more. */
async function jobsOf(
  { person }: BotContext,
  { id, jobIds }: Order,
  { gateways }: BotModules,
): Promise<readonly GatewayJob[] | undefined> {
  const gateway = await gateways.ofOrder(id, person);
  if (gateway === NOT_CONNECTED) return undefined;
  return Promise.all(jobIds.map((jobId) => gateway.job(jobId))).catch((error: unknown) => {
    if (error instanceof Unavailable || isJobNotFound(error)) return undefined;
    throw error;
  });
}

async function redrawActions(ctx: BotContext, order: Order, bot: BotModules): Promise<void> {
  const reply_markup = await actionsKeyboard(ctx, order, bot);
  await editOrIgnore(ctx.editMessageReplyMarkup({ reply_markup }));
}

async function actionsKeyboard(ctx: BotContext, order: Order, { orders, cards }: BotModules) {
  const types = [...new Set(["image", "video", order.request.type] as const)];
  const models = (await Promise.all(types.map((type) => cards.models(ctx, type)))).flat();
  const count = orders.findDelivery(order.id)?.files.length ?? 0;
  const offer = count > 0 ? ({ kind: "originals", count } as const) : ({ kind: "nothing" } as const);
  const taken = orders.takesOf(order.id)?.taken;
  return resultKeyboard(order, offer, resultActions(order, models), ctx.language, taken);
}

async function open(
  ctx: BotContext,
  { request }: Order,
  action: PictureAction,
  picture: string,
  bot: BotModules,
): Promise<void> {
  const { t } = ctx.language;
  const type = action === "edit" ? "image" : "video";
  const able = modelsForPicture(await bot.cards.models(ctx, type), type);
  const model = preferredModel(able, [request.model_key ?? "", ...bot.drafts.lastModels(ctx.person.id)]);
  if (!model) return alertTap(ctx, t("picture-no-model"));
  const fields = fieldsOf(model);
  const start = startingParameters(model, bot.drafts.lastParameters(ctx.person.id, model.model_key));
  const placed = placePicture(fields, start, picture, START_FRAME);
  const used = placed.kind === "placed" ? placed.parameters : start;
  const parameters = withAutoFormat(fields, used, [], bot.shapes.of(picture));
  const [draft] = await Promise.all([
    openOnce(ctx, { type, model, parameters }, bot),
    answerTap(ctx, t(`${action}-how`)),
  ]);
  if (draft) await askOnCard(ctx, draft, model, bot.drafts, true);
}

/** Makes an order ready to be changed or paid again. Undefined, after an answer, when its model is gone. */
async function recompose(ctx: BotContext, order: Order, { cards, drafts }: BotModules) {
  const { type, model_key } = order.request;
  const models = await cards.models(ctx, type);
  const model = models.find((one) => one.model_key === model_key);
  if (!model) return void (await alertOrReply(ctx, ctx.language.t("again-model-gone")));
  // Links in a request expire: pictures come from a kept draft.
  const ordered = drafts.find(order.draftId);
  const parameters = composedAgain(order.request, model, ordered);
  const hasLostPictures = heldPictures(parameters) < heldPictures(order.request as Parameters);
  const form = evaluateForm(model, { parameters });
  return { parameters, chosen: ordered?.chosen ?? [], form, hasLostPictures };
}
type Recomposed = NonNullable<Awaited<ReturnType<typeof recompose>>>;

/** Opens a card with the request of an order. */
export async function composeAgain(
  ctx: BotContext,
  order: Order,
  asked: View | "style",
  bot: BotModules,
): Promise<void> {
  const again = await recompose(ctx, order, bot);
  if (!again) return;
  if (asked !== "style") return openRecomposed(ctx, again, bot, { view: asked });
  const name = styleField(again.form.fields, order.request);
  await openRecomposed(ctx, again, bot, name === undefined ? {} : { view: { kind: "parameter", name } });
}

/** Opens a full card with the request of an order on the next model that takes it. */
async function composeOnOther(ctx: BotContext, order: Order, bot: BotModules): Promise<void> {
  const again = await recompose(ctx, order, bot);
  if (!again) return;
  const models = await bot.cards.models(ctx, order.request.type);
  const other = otherModel(order.request, models, bot.drafts.find(order.draftId));
  if (!other) return alertTap(ctx, ctx.language.t("other-model-none"));
  const words = leftOutText(other.leftOut, ctx.language);
  await openRecomposed(ctx, { ...again, ...other }, bot, { words });
}

/** Opens a card from an order. `words` answer the tap, unless pictures were lost. */
async function openRecomposed(
  ctx: BotContext,
  { form, parameters, chosen, hasLostPictures }: Recomposed,
  bot: BotModules,
  { view = { kind: "card" }, words }: { view?: View; words?: string | undefined },
): Promise<void> {
  const { model } = form;
  const opening = { type: model.type, model, parameters, view, chosen };
  const told = hasLostPictures
    ? alertOrReply(ctx, ctx.language.t("again-pictures-gone"))
    : answerTap(ctx, words);
  const [, draft] = await Promise.all([told, openOnce(ctx, opening, bot)]);
  if (draft) await askOnCard(ctx, draft, model, bot.drafts);
}

type ModelOpening = Omit<Opening, "text"> & { model: NonNullable<Opening["model"]> };

/** Opens a card, whose text is a parameter. An identical open one is sent again, so a double tap opens one. */
async function openOnce(
  ctx: BotContext,
  opening: ModelOpening,
  { cards, drafts }: BotModules,
): Promise<Draft | undefined> {
  const place = chatPlaceOf(ctx);
  if (!place) return undefined;
  const open = drafts.composing(ctx.person.id, place.chatId);
  const { type, model, parameters = {}, view = { kind: "card" } } = opening;
  const isSame = isDeepStrictEqual(
    [open?.type, open?.modelKey, open?.parameters, open?.view],
    [type, model.model_key, parameters, view],
  );
  if (!open || !isSame) return openAt(place, ctx, opening, cards);
  await cards.repost(open, ctx);
  return open;
}
