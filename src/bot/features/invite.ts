import { Composer, InlineKeyboard } from "grammy";
import { type InviteBook, type InviteRow, REWARDS_A_MONTH_MAX } from "../../accounts/invite-book.js";
import { Recurring } from "../../platform/retry.js";
import { MINUTE_MS } from "../../platform/units.js";
import type { BotContext } from "../context.js";
import type { Feature } from "../feature.js";
import { receivedAt } from "../inbox/inbox.js";
import { forAdminsAlone, ownWordsOnly, privateOnly } from "../middleware.js";
import type { ManagedBot } from "../modules.js";
import { unreachable } from "../telegram/failure.js";
import { isPrivate } from "../telegram/place.js";
import { cutText } from "../texts/html.js";
import { utcText } from "../texts/moment.js";
import type { Language } from "../texts/texts.js";

const STEP_INVITES = 20;

/** Tells both sides of an invitation that their sums were credited or taken back. After a crash a person may be told twice. */
export function inviteTeller(bot: ManagedBot, invites: InviteBook): Recurring {
  const { database, clock, logger } = bot;
  return new Recurring({
    clock,
    everyMs: MINUTE_MS,
    wokenBy: (wake) => database.watch(["invite"], wake),
    async work(signal) {
      for (const invite of invites.untold(STEP_INVITES)) {
        if (signal.aborted) return;
        await tellBoth(invite, invites, bot).catch((error: unknown) =>
          logger.warn(
            { invite_id: invite.invited_id, err: error },
            "reward of an invitation not told yet, trying again",
          ),
        );
      }
    },
    onFailure: (error) => logger.warn({ err: error }, "rewards of invitations not told, trying again"),
  });
}

/** Passes over a person who cannot be reached. */
async function tellBoth(
  invite: InviteRow,
  invites: InviteBook,
  { api, accounts, languageOf, logger }: ManagedBot,
): Promise<void> {
  const act = invite.taken_back_at === null ? "told" : "taken";
  for (const side of ["invited", "inviter"] as const) {
    const userId = accounts.users.userOf(invite[`${side}_id`]);
    const kopecks = invite[`${side}_kopecks`];
    const owedKopecks = invite[`${side}_owed_kopecks`];
    const debtKopecks = act === "told" ? invites.debtPaidOf(invite, side) : 0;
    if (userId === undefined || kopecks === 0) continue;
    const { t, money } = languageOf(userId);
    const words = [t(`invite-${act}-${side}`, { sum: money(kopecks) })];
    if (owedKopecks > 0) words.push(t("invite-taken-owed", { owed: money(owedKopecks) }));
    if (debtKopecks > 0) words.push(t("payment-debt", { debt: money(debtKopecks) }));
    await api.sendMessage(userId, words.join(" ")).catch((error: unknown) => {
      const reason = unreachable(error);
      if (reason === undefined) throw error;
      logger.info({ user_id: userId, reason }, "person not reached about an invitation");
    });
  }
  await invites.markTold(invite);
}

/** What a link to the bot has before a code. */
const LINK = /^i_([\w-]{16})$/;
const LISTED = 30;
const NAME_SHOWN = 30;
/** The most characters of the list, below Telegram's limit of 4096. */
const LIST_LENGTH_MAX = 4000;

/** Gives people a link to invite others with, and binds those who come by it. Admins list them. */
export function inviteFeature(bot: ManagedBot, invites: InviteBook): Feature {
  const composer = new Composer<BotContext>();
  composer.command("invite", privateOnly("invite-private-only"), (ctx) => tellLink(ctx, invites));
  composer.command("start", async (ctx, next) => {
    const code = LINK.exec(ctx.match)?.[1];
    // A message may wait here, and its account is made when it is handled.
    const cameAt = receivedAt(bot.database, ctx.update.update_id) ?? bot.clock.now();
    const isBound = code !== undefined && isPrivate(ctx) && (await invites.bind(ctx.person, code, cameAt));
    if (isBound && invites.sums.invitedKopecks > 0)
      await ctx.reply(sumsText("invited-hello", invites, ctx.language));
    await next();
  });
  composer
    .filter(forAdminsAlone(bot.adminIds))
    .command("invites", ownWordsOnly, (ctx) => ctx.reply(listText(invites.list(LISTED), ctx.language, bot)));
  return { commands: ["invite"], adminCommands: ["invites"], composer };
}

async function tellLink(ctx: BotContext, invites: InviteBook): Promise<void> {
  const { t } = ctx.language;
  const link = `https://t.me/${ctx.me.username}?start=i_${await invites.codeOf(ctx.person)}`;
  const { invited, rewarded } = invites.countsOf(ctx.person.id);
  const lines = [sumsText("invite-how", invites, ctx.language), link];
  if (invited > 0) lines.push(t("invite-counts", { invited, rewarded }));
  const share = `https://t.me/share/url?url=${encodeURIComponent(link)}`;
  await ctx.reply(lines.join("\n\n"), {
    link_preview_options: { is_disabled: true },
    reply_markup: new InlineKeyboard().url(t("button-share"), share),
  });
}

function sumsText(key: "invite-how" | "invited-hello", invites: InviteBook, { t, money }: Language): string {
  const { inviterKopecks, invitedKopecks } = invites.sums;
  return t(key, {
    yours: money(inviterKopecks),
    theirs: money(invitedKopecks),
    least: money(Math.max(inviterKopecks, invitedKopecks)),
    max: REWARDS_A_MONTH_MAX,
  });
}

function listText(list: readonly InviteRow[], language: Language, { accounts, people }: ManagedBot): string {
  const { t, money } = language;
  if (list.length === 0) return t("invites-none");
  const nameOf = (accountId: number) => {
    const id = accounts.users.userOf(accountId);
    return id === undefined ? "–" : `${cutText(people.find(id)?.name ?? "–", NAME_SHOWN)} (${id})`;
  };
  const lines = list.map((invite) => {
    const who = { inviter: nameOf(invite.inviter_id), invited: nameOf(invite.invited_id) };
    const line = t("invites-line", { ...who, time: utcText(invite.at, language) });
    if (invite.rewarded_at === null) return line;
    const sums = { inviter: money(invite.inviter_kopecks), invited: money(invite.invited_kopecks) };
    return `${line} · ${t(invite.taken_back_at === null ? "invites-rewarded" : "invites-taken", sums)}`;
  });
  let length = t("invites-title").length;
  const shown = lines.filter((line) => {
    length += line.length + 1;
    return length <= LIST_LENGTH_MAX;
  });
  return [t("invites-title"), ...shown].join("\n");
}
