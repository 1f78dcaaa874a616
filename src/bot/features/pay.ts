import type { Model } from "../../contract/model.js";
import type { GenerationRequest } from "../../contract/request.js";
import { type BotContext, isPrivate } from "../context.js";
import { payableKopecks } from "../create/card.js";
import type { Draft } from "../create/draft.js";
import { requestOf } from "../create/draft-request.js";
import { PictureRefused } from "../create/pictures.js";
import { paymentText } from "../orders/payment-text.js";
import { alertTap, answerTap } from "../tap-answers.js";
import type { FeatureParts } from "./feature.js";

/** Pays for a draft at the price of the button, and says what came of it. */
export async function payDraft(
  ctx: BotContext,
  draft: Draft,
  model: Model,
  kopecks: number,
  parts: FeatureParts,
): Promise<void> {
  const { orders, cards, supportContact } = parts;
  if (payableKopecks(draft, model) === undefined) {
    return void (await Promise.all([
      answerTap(ctx, ctx.language.t("tap-old-card")),
      cards.refresh(draft, ctx.person),
    ]));
  }
  const request = await publishedRequest(ctx, draft, model, parts);
  if (!request) return;
  const payment = await orders.pay(draft, model, ctx.person, kopecks, request);
  if (payment.kind === "accepted") return answerTap(ctx, ctx.language.t("pay-accepted"));
  if (payment.kind === "stale") return answerTap(ctx);
  const textFor = (isGroup: boolean) =>
    plain(paymentText(payment, { language: ctx.language, isGroup }, supportContact));
  const aloud = textFor(!isPrivate(ctx));
  await tell(ctx, { alone: textFor(false), aloud });
  if (payment.kind === "uncertain") await cards.close(draft, aloud);
  else if (payment.draft) await cards.refresh(payment.draft, ctx.person);
}

/** The request with fresh links to the pictures of the chat; undefined, and said so, where one is unreadable. */
async function publishedRequest(
  ctx: BotContext,
  draft: Draft,
  model: Model,
  { pictures }: FeatureParts,
): Promise<GenerationRequest | undefined> {
  try {
    return await pictures.published(ctx.person, requestOf(draft, model));
  } catch (error) {
    if (!(error instanceof PictureRefused)) throw error;
    const words = ctx.language.t(`picture-${error.fault}`);
    await tell(ctx, { alone: words, aloud: words });
    return undefined;
  }
}

/** In an alert, which who tapped sees alone; aloud in the chat when the tap could wait for it no longer. */
async function tell(ctx: BotContext, words: { alone: string; aloud: string }): Promise<void> {
  if (!(await alertTap(ctx, words.alone))) await ctx.reply(words.aloud);
}

/** Alerts show no HTML. */
function plain(html: string): string {
  return html
    .replace(/<[^>]+>/g, "")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, "&");
}
