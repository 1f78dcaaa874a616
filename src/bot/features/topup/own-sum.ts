import { InlineKeyboard } from "grammy";
import { asKopecks, type Kopecks, parseRubles } from "../../../contract/money.js";
import type { SumLimits } from "../../../ports/till.js";
import type { BotContext } from "../../context.js";
import { type AnswerOutcome, type Question, type QuestionDialog, questionDialog } from "../../dialogs/ask.js";
import { topUpButton } from "../../payments/top-ups.js";
import { type BuyDeps, buy } from "./buy.js";

/** The question for a sum that the person types. */
export const OWN_SUM: Question<null> = { name: "top-up-sum" };

const RUBLE = asKopecks(1_00);

export function ownSumDialog(deps: BuyDeps): QuestionDialog {
  return questionDialog(OWN_SUM, {
    endsOnCommand: true,
    take: async (ctx) => takeSum(ctx, deps),
    onGivenUp: async (ctx) => void (await ctx.reply(ctx.language.t("top-up-given-up"))),
  });
}

function takeSum(ctx: BotContext, deps: BuyDeps): AnswerOutcome {
  const { t } = ctx.language;
  const text = ctx.message?.text?.trim();
  if (text === undefined) return { kind: "passed" };
  const kopecks = parseRubles(text.replace(/\s*(?:₽|р\.?|руб\.?|rub)$/i, "").replace(/\s/g, ""));
  const offers = kopecks === undefined || kopecks < RUBLE ? [] : offersOf(kopecks, deps);
  if (offers.length === 0) return { kind: "refused", reply: () => ctx.reply(refusalOf(ctx, kopecks, deps)) };
  const [only] = offers;
  if (only && offers.length === 1) return { kind: "over", reply: () => buy(ctx, only, deps) };
  const rows = offers.map(({ till, topUp }) => [topUpButton(till.name, topUp, ctx.language)]);
  const reply_markup = new InlineKeyboard(rows);
  return { kind: "over", reply: () => ctx.reply(t("top-up-choose"), { reply_markup }) };
}

/** Names the limits of a till where the sum is outside of them. */
function refusalOf({ language }: BotContext, kopecks: Kopecks | undefined, { topUps }: BuyDeps): string {
  const { t, money } = language;
  const limits = topUps.tills.flatMap((till) => (till.sellsFreeSums && till.limits ? [till.limits] : []));
  const [first] = limits;
  if (kopecks === undefined || !first) return t("top-up-sum-wrong");
  const least = Math.min(...limits.map(({ minKopecks }) => minKopecks));
  const most = Math.max(...limits.map(({ maxKopecks }) => maxKopecks));
  return t("top-up-sum-limits", { least: money(least), most: money(most) });
}

function isWithin(kopecks: Kopecks, { minKopecks, maxKopecks }: SumLimits): boolean {
  return kopecks >= minKopecks && kopecks <= maxKopecks;
}

function offersOf(kopecks: Kopecks, { topUps }: BuyDeps) {
  return topUps.tills
    .filter(({ sellsFreeSums, limits }) => sellsFreeSums && (!limits || isWithin(kopecks, limits)))
    .flatMap((till) => {
      const topUp = till.topUpOf(kopecks);
      return topUp ? [{ till, topUp }] : [];
    });
}
