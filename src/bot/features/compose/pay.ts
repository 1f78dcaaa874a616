import { asKopecks, type Kopecks } from "../../../contract/money.js";
import { gatewayOf } from "../../account-needed.js";
import type { CardMessages } from "../../card/card-messages.js";
import type { Draft } from "../../card/draft/draft.js";
import type { FormState } from "../../card/form/evaluate-form.js";
import type { Pictures } from "../../card/pictures/pictures.js";
import type { BotContext } from "../../context.js";
import type { Payment } from "../../orders/checkout/payment.js";
import { paymentText } from "../../orders/checkout/payment-text.js";
import type { LimitExceeded, OrderService } from "../../orders/order-service.js";
import type { TopUps } from "../../payments/top-ups.js";
import type { Audience } from "../../people/balance-words.js";
import { limitExceededText } from "../../people/spending/allowance-text.js";
import { isPrivate } from "../../telegram/place.js";
import { alertTap, answerTap } from "../../telegram/tap-answers.js";

export interface PayDeps {
  orderService: OrderService;
  cards: CardMessages;
  pictures: Pictures;
  supportContact: string | undefined;
  topUps: Pick<TopUps, "isOn">;
}

/** Pays the draft. Throws PictureRefusedError before anything is claimed. */
export async function payDraft(
  ctx: BotContext,
  draft: Draft,
  form: FormState,
  kopecks: number,
  deps: PayDeps,
): Promise<void> {
  const { orderService, cards } = deps;
  if (form.payable === undefined) {
    return void (await Promise.all([
      answerTap(ctx, ctx.language.t("tap-old-card")),
      cards.refresh(draft, ctx),
    ]));
  }
  const gateway = gatewayOf(ctx);
  const request = await deps.pictures.published(ctx, form.request);
  const quotedKopecks = asKopecks(kopecks);
  const payment = await orderService.pay(
    draft,
    form.model,
    { person: ctx.person, gateway },
    quotedKopecks,
    request,
  );
  await tellPayment(ctx, payment, quotedKopecks, deps);
}

/** Answers the tap with the outcome of the payment. A card that was not paid is shown. */
export async function tellPayment(
  ctx: BotContext,
  payment: Payment | LimitExceeded,
  kopecks: Kopecks,
  { cards, supportContact, topUps }: PayDeps,
): Promise<void> {
  if (payment.kind === "limit_exceeded")
    return tell(ctx, (audience) => limitExceededText(payment.allowance, kopecks, audience));
  if (payment.kind === "accepted") return answerTap(ctx, ctx.language.t("pay-accepted"));
  // The person is told of an uncertain order in a message of its own.
  if (payment.kind === "stale" || payment.kind === "uncertain") return answerTap(ctx);
  if (payment.kind === "too_many" && payment.isTold) await answerTap(ctx);
  else await tell(ctx, (audience) => plain(paymentText(payment, audience, { supportContact, topUps })));
  if (payment.draft) await cards.refresh(payment.draft, ctx);
}

/** Replies with a message when the alert, which only the person sees, was not delivered. */
async function tell(ctx: BotContext, textFor: (audience: Audience) => string): Promise<void> {
  const { language } = ctx;
  if (await alertTap(ctx, textFor({ language, isGroup: false }))) return;
  await ctx.reply(textFor({ language, isGroup: !isPrivate(ctx) }));
}

/** Strips HTML, which alerts do not show. */
function plain(html: string): string {
  return html
    .replace(/<[^>]+>/g, "")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, "&");
}
