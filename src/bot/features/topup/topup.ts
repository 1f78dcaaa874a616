import { Composer, InlineKeyboard } from "grammy";
import { type Kopecks, kopecksOf } from "../../../contract/money.js";
import { gatewayOf } from "../../account-needed.js";
import type { CardMessages } from "../../card/card-messages.js";
import type { Drafts } from "../../card/draft/draft-store.js";
import type { BotContext } from "../../context.js";
import { ask } from "../../dialogs/ask.js";
import type { Feature } from "../../feature.js";
import { taps } from "../../middleware/taps.js";
import { START_TOP_UP, type TopUpData, topUpData } from "../../payments/top-up-data.js";
import { topUpButton } from "../../payments/top-ups.js";
import { editOrIgnore } from "../../telegram/edit-or-ignore.js";
import { isPrivate } from "../../telegram/place.js";
import { answerTap, isRepeated } from "../../telegram/tap-answers.js";
import { agreeAndBuy, type BuyDeps, buy } from "./buy.js";
import { missingSum } from "./missing-sum.js";
import { OWN_SUM, ownSumDialog } from "./own-sum.js";

interface TopUpDeps extends BuyDeps {
  drafts: Pick<Drafts, "composing">;
  cards: Pick<CardMessages, "models">;
}

/** Handles `/topup`: fixed sums, the sum that is missing, and a sum that the person types. */
export function topUpFeature(deps: TopUpDeps): Feature {
  const composer = new Composer<BotContext>();
  composer.command("topup", (ctx) => (isPrivate(ctx) ? showMenu(ctx, deps) : sendLink(ctx, deps)));
  composer
    .command("start")
    .filter((ctx) => isPrivate(ctx) && ctx.match === START_TOP_UP)
    .use((ctx) => showMenu(ctx, deps));
  composer.use(
    taps(topUpData, (ctx, data) =>
      isPrivate(ctx) ? act(ctx, data, deps) : answerTap(ctx, ctx.language.t("tap-unknown")),
    ),
  );
  const questions = [ownSumDialog(deps)];
  return { name: "topup", commands: ["topup"], callbackPrefixes: [topUpData.prefix], questions, composer };
}

async function act(ctx: BotContext, data: TopUpData, deps: TopUpDeps): Promise<void> {
  if (isRepeated(ctx)) return answerTap(ctx);
  if (data.action === "menu") return void (await Promise.all([answerTap(ctx), showMenu(ctx, deps)]));
  if (data.action === "own") {
    await answerTap(ctx);
    await ask(ctx, OWN_SUM, null);
    return void (await ctx.reply(ctx.language.t("top-up-ask-sum")));
  }
  const offered = deps.topUps.find(data.till, data.topUp);
  if (!offered) {
    const told = answerTap(ctx, ctx.language.t("tap-top-up-changed"), { isAlert: true });
    return void (await Promise.all([told, showMenu(ctx, deps)]));
  }
  await answerTap(ctx);
  if (data.action === "buy") return buy(ctx, offered, deps);
  await agreeAndBuy(ctx, offered, deps);
  await editOrIgnore(ctx.editMessageText(ctx.language.t("consent-given"), { parse_mode: "HTML" }));
}

async function showMenu(ctx: BotContext, deps: TopUpDeps): Promise<void> {
  const { t, money } = ctx.language;
  const balanceKopecks = kopecksOf((await gatewayOf(ctx).balance()).amount);
  const missing = await missingSum(ctx, balanceKopecks, deps);
  const lines = [t("top-up-menu", { balance: money(balanceKopecks) })];
  if (deps.topUps.tills.length > 1) lines.push(t("top-up-tills"));
  if (missing > 0) lines.push(t("top-up-missing", { missing: money(missing) }));
  await ctx.reply(lines.join("\n"), { parse_mode: "HTML", reply_markup: menuKeyboard(ctx, missing, deps) });
}

function menuKeyboard({ language }: BotContext, missing: Kopecks, { topUps }: TopUpDeps): InlineKeyboard {
  const exact = topUps.tills.flatMap((till) => {
    const topUp = missing > 0 && till.sellsFreeSums ? till.topUpOf(missing) : undefined;
    return topUp ? [topUpButton(till.name, topUp, language)] : [];
  });
  const packs = topUps.tills.flatMap((till) =>
    till.packs.map((pack) => topUpButton(till.name, pack, language)),
  );
  const own = topUps.tills.some(({ sellsFreeSums }) => sellsFreeSums)
    ? [InlineKeyboard.text(language.t("button-own-sum"), topUpData.encode({ action: "own" }))]
    : [];
  return new InlineKeyboard([...exact, ...packs, ...own].map((button) => [button]));
}

/** Everybody in a group could pay an invoice that stands there. */
async function sendLink(ctx: BotContext, { topUps }: TopUpDeps): Promise<void> {
  const keyboard = new InlineKeyboard([[topUps.linkButton(ctx.language)]]);
  await ctx.reply(ctx.language.t("top-up-private"), { reply_markup: keyboard });
}
