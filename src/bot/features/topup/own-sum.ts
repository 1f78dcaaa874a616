import { InlineKeyboard } from "grammy";
import { asKopecks, type Kopecks, parseRubles } from "../../../contract/money.js";
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
  if (offers.length === 0) return { kind: "refused", reply: () => ctx.reply(t("top-up-sum-wrong")) };
  const [only] = offers;
  if (only && offers.length === 1) return { kind: "over", reply: () => buy(ctx, only, deps) };
  const rows = offers.map(({ till, topUp }) => [topUpButton(till.name, topUp, ctx.language)]);
  const reply_markup = new InlineKeyboard(rows);
  return { kind: "over", reply: () => ctx.reply(t("top-up-choose"), { reply_markup }) };
}

function offersOf(kopecks: Kopecks, { topUps }: BuyDeps) {
  return topUps.tills
    .filter(({ sellsFreeSums }) => sellsFreeSums)
    .flatMap((till) => {
      const topUp = till.topUpOf(kopecks);
      return topUp ? [{ till, topUp }] : [];
    });
}
