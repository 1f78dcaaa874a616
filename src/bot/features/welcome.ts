import { Composer, InlineKeyboard } from "grammy";
import type { BotContext } from "../context.js";
import type { Feature } from "../feature.js";
import { taps } from "../middleware.js";
import type { ManagedBot } from "../modules.js";
import { buttonData } from "../telegram/button-data.js";
import { isPrivate } from "../telegram/place.js";
import { answerTap, editOrIgnore } from "../telegram/tap-answers.js";

const welcomeTap = buttonData("wc", ["take"]);

/** Offers a welcome credit that waits: after the first message, and after /start and /balance. */
export function welcomeFeature({ accounts: { users } }: ManagedBot): Feature {
  const composer = new Composer<BotContext>();
  composer.use(
    taps(welcomeTap, async (ctx) => {
      const { t, money } = ctx.language;
      const taken = await users.takeWelcome(ctx.person.id);
      if (!taken) return answerTap(ctx, t("welcome-none"));
      const sums = { sum: money(taken.kopecks), balance: money(taken.balanceKopecks) };
      const edit = editOrIgnore(ctx.editMessageText(t("welcome-credited", sums)));
      await Promise.all([answerTap(ctx), edit]);
    }),
  );
  composer.on("message", async (ctx, next) => {
    await next();
    const isTime = isPrivate(ctx) && (ctx.isNewcomer || ctx.hasCommand(["start", "balance"]));
    const kopecks = isTime ? users.offeredWelcome(ctx.person.id) : undefined;
    if (kopecks === undefined) return;
    const { t, money } = ctx.language;
    const keyboard = new InlineKeyboard().text(t("button-welcome"), welcomeTap.encode({}));
    await ctx.reply(t("welcome-offer", { sum: money(kopecks) }), { reply_markup: keyboard });
  });
  return { composer };
}
