import { Composer, InputFile } from "grammy";
import { NOT_CONNECTED } from "../../contract/gateway.js";
import type { Model } from "../../contract/model.js";
import { type BotContext, inTopic, placeOf } from "../context.js";
import type { Parameters } from "../create/form.js";
import { mainTextName } from "../create/relevance.js";
import type { Delivery, SentFile } from "../orders/deliveries.js";
import type { Order } from "../orders/order.js";
import { readOrderData } from "../orders/order-data.js";
import { answerTap } from "../tap-answers.js";
import type { Feature, FeatureParts } from "./feature.js";

/** The buttons under a result: the original files, and the same once more. */
export const results: Feature = {
  name: "results",
  build(parts) {
    const composer = new Composer<BotContext>();
    composer.on("callback_query:data", async (ctx, next) => {
      const data = readOrderData(ctx.callbackQuery.data);
      if (!data) return next();
      const { t } = ctx.language;
      const order = parts.orders.orders.find(data.orderId);
      if (!order) return answerTap(ctx, t("tap-unknown"));
      if (order.userId !== ctx.person.id) return answerTap(ctx, t("tap-not-yours"), { isAlert: true });
      if (data.action === "again") return composeAgain(ctx, order, parts);
      const delivery = parts.orders.deliveries.find(order.id);
      if (!delivery) return answerTap(ctx, t("tap-unknown"));
      await answerTap(ctx, t("originals-coming"));
      await sendOriginals(ctx, order, delivery, parts);
    });
    return composer;
  },
};

/** A new card with the same model, parameters and prompt: paying it is a confirmation of its own. */
async function composeAgain(ctx: BotContext, order: Order, { cards, drafts }: FeatureParts): Promise<void> {
  const place = placeOf(ctx);
  const { type, model_key } = order.request;
  const models = await cards.models(ctx.person, type);
  const model = models.find((one) => one.model_key === model_key);
  if (!place || !model) return answerTap(ctx, ctx.language.t("again-model-gone"), { isAlert: true });
  // The draft still has the pictures as they lie in the chat; the links of the order are long out of date.
  const draft = drafts.find(order.draftId);
  const parameters = draft?.parameters ?? cards.startingParameters(ctx.person, model);
  const prompt = draft?.prompt ?? mainTextOf(order, model);
  const opening = { type, model, parameters, ...(prompt === undefined ? {} : { prompt }) };
  await Promise.all([answerTap(ctx), cards.open(ctx.person, place, opening)]);
}

/** The main text of an order whose draft is kept no more. */
function mainTextOf({ request }: Order, model: Model): string | undefined {
  const name = mainTextName(model, request as Parameters);
  const text = name === undefined ? undefined : request[name];
  return typeof text === "string" ? text : undefined;
}

/** Sends each file of the order as a document in the format it was made in; a file sent before costs nothing. */
async function sendOriginals(
  ctx: BotContext,
  order: Order,
  delivery: Delivery,
  parts: FeatureParts,
): Promise<void> {
  const gateway = await parts.gateways.of(ctx.person);
  const chatId = ctx.chatId;
  if (gateway === NOT_CONNECTED || chatId === undefined) return;
  const sent: SentFile[] = [...delivery.originals];
  for (const { index } of delivery.files) {
    const known = sent.find((file) => file.index === index);
    const document = known ? known.fileId : await originalFile(order, index);
    if (document === undefined) return void (await ctx.reply(ctx.language.t("originals-gone")));
    const message = await parts.api.sendDocument(chatId, document, {
      ...inTopic(order),
      disable_content_type_detection: true,
    });
    if (known) continue;
    const { file_id } = message.document;
    sent.push({ index, messageId: message.message_id, fileId: file_id, as: "document" });
  }
  if (sent.length > delivery.originals.length) await parts.orders.deliveries.saveOriginals(order.id, sent);

  async function originalFile({ jobIds }: Order, index: number): Promise<InputFile | undefined> {
    const id = jobIds[index];
    if (id === undefined || gateway === NOT_CONNECTED) return undefined;
    try {
      const { stream, fileName } = await gateway.openResult(id, 0);
      stream.destroy();
      // Opened anew for each try: a stream that was read once cannot be sent a second time.
      return new InputFile(async () => (await gateway.openResult(id, 0)).stream, fileName);
    } catch (error) {
      parts.logger.warn({ order_id: order.id, job_id: id, err: error }, "original not available");
      return undefined;
    }
  }
}
