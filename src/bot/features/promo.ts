import { Composer } from "grammy";
import { type PromoCode, type PromoOutcome, promoCodes, redeemPromo } from "../../accounts/promo-book.js";
import { HOUR_MS } from "../../platform/units.js";
import type { BotContext } from "../context.js";
import { ask, type Question, questionDialog } from "../dialogs.js";
import type { Feature } from "../feature.js";
import { isAdmin, privateOnly } from "../middleware.js";
import type { ManagedBot } from "../modules.js";
import { isPrivate } from "../telegram/place.js";
import { cleanText } from "../texts/html.js";
import { utcDay, utcText } from "../texts/moment.js";
import type { Intent } from "../texts/read-intent.js";
import type { Language } from "../texts/texts.js";

/** What a link to the bot has before a code. */
const LINK = /^p_(.+)$/;
const LISTED = 30;
/** The question for a code, with the time it was asked, in ms since the epoch. */
const CODE: Question<number> = { name: "promo-code" };

/** Takes promo codes, typed after `/promo`, in the next message, or from a link. Admins see the codes with `/promo` alone. */
export function promoFeature(bot: ManagedBot): Feature {
  const composer = new Composer<BotContext>();
  composer.command("promo", privateOnly("promo-private-only"), async (ctx) => {
    const { t } = ctx.language;
    const code = ctx.match.trim();
    if (code !== "") return redeem(ctx, code, bot);
    const isOfAdmin = isAdmin(bot.adminIds)(ctx);
    await ctx.reply(isOfAdmin ? listText(promoCodes(bot.database), ctx.language) : t("usage-promo"));
    if (!isOfAdmin) await ask(ctx, CODE, bot.clock.now());
  });
  composer.command("start", async (ctx, next) => {
    const code = LINK.exec(ctx.match)?.[1];
    if (code !== undefined && isPrivate(ctx)) await redeem(ctx, code, bot);
    await next();
  });
  const code = questionDialog(CODE, {
    async take(ctx, askedAt) {
      const word = cleanText(ctx.message?.text ?? "");
      // Several words are no code, but may be an order.
      if (word === "" || /\s/.test(word) || bot.clock.now() - askedAt > HOUR_MS) return { kind: "gone" };
      const outcome = await outcomeOf(ctx, word, bot);
      // What is no code may ask for help, or give thanks.
      if (outcome.kind === "wrong" && isSaid(await bot.readIntent(word))) return { kind: "gone" };
      await ctx.reply(outcomeText(outcome, ctx.language));
      return { kind: outcome.kind === "wrong" ? "refused" : "over" };
    },
  });
  return { questions: [code], composer };
}

async function redeem(ctx: BotContext, code: string, bot: ManagedBot): Promise<void> {
  await ctx.reply(outcomeText(await outcomeOf(ctx, code, bot), ctx.language));
}

async function outcomeOf({ person }: BotContext, code: string, bot: ManagedBot): Promise<PromoOutcome> {
  return redeemPromo(bot, await bot.accounts.users.idOf(person), code);
}

/** True for a word that means something to the bot. */
function isSaid(intent: Intent): boolean {
  if (intent.kind === "talk") return intent.about !== "wordless";
  return intent.kind === "command" || intent.kind === "support";
}

function outcomeText(outcome: PromoOutcome, language: Language): string {
  const { t, money } = language;
  switch (outcome.kind) {
    case "credited": {
      const sums = { sum: money(outcome.kopecks), balance: money(outcome.balanceKopecks) };
      const debt = outcome.debtPaidKopecks;
      const paid = debt > 0 ? [t("payment-debt", { debt: money(debt) })] : [];
      return [t("promo-credited", sums), ...paid].join("\n");
    }
    case "banned":
      return t("promo-banned");
    case "used":
      return t("promo-used", { sum: money(outcome.kopecks) });
    case "wrong":
      return t("promo-wrong");
    case "slow":
      return t("promo-slow", { time: utcText(outcome.until, language) });
  }
}

function listText(codes: readonly PromoCode[], language: Language): string {
  const { t, money } = language;
  if (codes.length === 0) return t("promo-none");
  const lines = codes.slice(0, LISTED).map(({ code, kopecks, uses, uses_max, valid_until }) => {
    // The end is the midnight after the last day.
    const time = utcDay(valid_until - 1, language);
    return t("promo-line", { code, sum: money(kopecks), uses, max: uses_max, time });
  });
  return [t("promo-title"), ...lines].join("\n");
}
