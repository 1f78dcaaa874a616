import { type Api, type CommandContext, Composer, InlineKeyboard } from "grammy";
import { kopecksOf } from "../../../contract/money.js";
import type { Clock } from "../../../platform/clock.js";
import type { AccountAdmin } from "../../../ports/admin.js";
import type { Admins } from "../../../ports/admins.js";
import { gatewayOf } from "../../account-needed.js";
import type { BotContext } from "../../context.js";
import type { Feature } from "../../feature.js";
import { isAdmin, ownWordsOnly } from "../../middleware/admin-only.js";
import { taps } from "../../middleware/taps.js";
import type { TopUps } from "../../payments/top-ups.js";
import { type BotAccounts, spendingOf } from "../../people/accounts.js";
import { balanceOfText } from "../../people/balance-words.js";
import type { People } from "../../people/people.js";
import {
  findPerson,
  knownNames,
  notFoundText,
  readPersonRef,
  wrongPersonText,
} from "../../people/person-ref.js";
import { ownAllowanceText } from "../../people/spending/allowance-text.js";
import { isPrivate } from "../../telegram/place.js";
import { escapeHtml, usageHtml } from "../../texts/html.js";
import { statementTaps } from "./statement.js";
import { statementData } from "./statement-data.js";
import { statementScreen } from "./statement-screen.js";

interface BalanceDeps {
  api: Api;
  clock: Clock;
  people: People;
  accounts: BotAccounts;
  adminIds: Admins;
  supportContact: string | undefined;
  topUps: TopUps;
}

/** Answers `/balance` with the person's balance and what it was spent on. An admin may ask for another person's by id or @name. */
export function balanceFeature(deps: BalanceDeps): Feature {
  const { accounts, adminIds } = deps;
  const composer = new Composer<BotContext>();
  const command = composer.command("balance");
  const inGroup = command.filter((ctx) => !isPrivate(ctx));
  // A group must not see a person's balance.
  inGroup.use(async (ctx) => void (await ctx.reply(ctx.language.t("balance-private-only"))));
  if (accounts.kind === "managed")
    command
      .filter(asksForOther)
      .filter(isAdmin(adminIds))
      .use(ownWordsOnly, (ctx) => showBalanceOf(ctx, accounts.admin, deps));
  if (accounts.kind === "connected")
    command
      .filter(asksForOther)
      .filter(isAdmin(adminIds))
      .use(async (ctx) => void (await ctx.reply(ctx.language.t("balance-elsewhere-own"))));
  command.use((ctx) => showOwn(ctx, asksForOther(ctx), deps));
  if (accounts.kind !== "managed") return { name: "balance", commands: ["balance"], composer };
  composer.use(
    taps(
      statementData,
      statementTaps({
        ...deps,
        statement: accounts.statement,
        headOf: (ctx) => ownBalanceHtml(ctx, false, deps),
      }),
    ),
  );
  return { name: "balance", commands: ["balance"], callbackPrefixes: [statementData.prefix], composer };
}

function asksForOther({ match }: CommandContext<BotContext>): boolean {
  return match.trim() !== "";
}

async function showOwn(ctx: BotContext, isOtherAsked: boolean, deps: BalanceDeps): Promise<void> {
  const { accounts } = deps;
  const head = await ownBalanceHtml(ctx, isOtherAsked, deps);
  const screen =
    accounts.kind === "managed" &&
    (await statementScreen(ctx, undefined, { ...deps, statement: accounts.statement }));
  if (!screen) {
    const keyboard = deps.topUps.isOn && new InlineKeyboard([[deps.topUps.menuButton(ctx.language)]]);
    const options = { parse_mode: "HTML", ...(keyboard && { reply_markup: keyboard }) } as const;
    return void (await ctx.reply(head, options));
  }
  const { html, keyboard } = screen;
  await ctx.reply(`${head}\n\n${html}`, { parse_mode: "HTML", reply_markup: keyboard });
}

async function ownBalanceHtml(
  ctx: BotContext,
  isOtherAsked: boolean,
  { supportContact, accounts, topUps }: BalanceDeps,
): Promise<string> {
  const { t, money } = ctx.language;
  const { amount } = await gatewayOf(ctx).balance();
  const isShared = accounts.kind === "shared";
  const balance = money(kopecksOf(amount));
  const lines = [t(isShared ? "balance-now-shared" : "balance-now", { balance })];
  const spending = spendingOf(accounts);
  const allowance = spending && ownAllowanceText(spending.allowanceOf(ctx.person.id), ctx.language);
  if (allowance) lines.push(allowance);
  if (isOtherAsked) lines.push(t(isShared ? "balance-elsewhere" : "balance-own-only"));
  // An admin may need the id, since names change and can be copied.
  if (accounts.kind !== "connected") lines.push(t("id-person", { id: String(ctx.person.id) }));
  if (supportContact && !topUps.isOn) lines.push(t("money-ask", { contact: escapeHtml(supportContact) }));
  return lines.join("\n");
}

async function showBalanceOf(
  ctx: CommandContext<BotContext>,
  admin: AccountAdmin,
  deps: BalanceDeps,
): Promise<void> {
  const { language } = ctx;
  const { t } = language;
  const [word = ""] = ctx.match.trim().split(/\s+/);
  const ref = readPersonRef(word, knownNames(deps.people));
  if (!ref) {
    const html = usageHtml(wrongPersonText(word, t), t("usage-balance"));
    return void (await ctx.reply(html, { parse_mode: "HTML" }));
  }
  const found = await findPerson(ref, deps);
  if (found.kind !== "found") return void (await ctx.reply(notFoundText(found, t)));
  const html = balanceOfText(found.person, await admin.balanceOf(found.person.id), language);
  await ctx.reply(html, { parse_mode: "HTML" });
}
