import { type CommandContext, Composer, GrammyError, InlineKeyboard } from "grammy";
import type { Clock } from "../../../platform/clock.js";
import type { BotContext } from "../../context.js";
import { ask, leaveQuestion, type Question, questionDialog } from "../../dialogs/ask.js";
import type { Feature } from "../../feature.js";
import { forAdminsAlone, isAdmin, ownWordsOnly } from "../../middleware/admin-only.js";
import { taps } from "../../middleware/taps.js";
import { personText } from "../../people/balance-words.js";
import { authorOf, meantPerson } from "../../people/meant-person.js";
import { answerTap, isRepeated } from "../../telegram/tap-answers.js";
import { liftBan } from "../bans/make-ban.js";
import { type AccountData, accountData } from "./account-data.js";
import { ACCOUNT_WORDS, accountWords, type WordsFor } from "./account-words.js";
import { pickKeyboard } from "./pick-person.js";
import { type AccountDeps, editAccount, showAccount, showFound } from "./show-account.js";

/** Asks an admin whose account to show. */
const ACCOUNT_PERSON: Question<null> = { name: "account-person" };

/** Handles `/account`, for admins in their private chats: what is known of a person, and acts on the account. */
export function accountFeature(deps: AccountDeps & { clock: Clock }): Feature {
  const composer = new Composer<BotContext>();
  const forAdmins = composer.filter(forAdminsAlone(deps.adminIds));
  forAdmins.command("account", ownWordsOnly, (ctx) => answer(ctx, deps));
  forAdmins.use(taps(accountData, (ctx, data) => act(ctx, data, deps)));
  // A button of a group shows nothing there.
  composer
    .filter(isAdmin(deps.adminIds))
    .use(taps(accountData, (ctx, data, next) => (data.action === "send" ? send(ctx, data, deps) : next())));
  const person = questionDialog(ACCOUNT_PERSON, {
    endsOnCommand: true,
    async take(ctx) {
      const { message } = ctx;
      if (!message || !deps.adminIds.has(ctx.person.id)) return { kind: "gone" };
      const meant = authorOf(message) ?? meantPerson(message.text ?? "", undefined, deps.people)?.meant;
      if (meant === undefined) return { kind: "passed" };
      return { kind: (await showFound(ctx, meant, deps)) ? "over" : "refused" };
    },
  });
  return {
    name: "account",
    adminCommands: ["account"],
    callbackPrefixes: [accountData.prefix],
    questions: [person, accountWords({ ...deps, now: () => deps.clock.now() })],
    composer,
  };
}

async function answer(ctx: CommandContext<BotContext>, deps: AccountDeps): Promise<void> {
  const request = meantPerson(ctx.match, ctx.msg.reply_to_message, deps.people);
  if (request) return void (await showFound(ctx, request.meant, deps, { isFromList: false }));
  const { t } = ctx.language;
  await ctx.reply(t("account-ask-person"), { parse_mode: "HTML", reply_markup: pickKeyboard(t) });
  await ask(ctx, ACCOUNT_PERSON, null);
}

async function act(ctx: BotContext, { action, userId }: AccountData, deps: AccountDeps): Promise<void> {
  // Any of the buttons leaves the question of another.
  await leaveQuestion(ctx, ACCOUNT_WORDS);
  const person = deps.people.find(userId);
  if (!person) return answerTap(ctx, ctx.language.t("tap-unknown"));
  if (action === "show") return void (await Promise.all([answerTap(ctx), editAccount(ctx, person, deps)]));
  if (isRepeated(ctx)) return answerTap(ctx);
  if (action === "send") return send(ctx, { action, userId }, deps);
  if (action !== "unban") return askWords(ctx, userId, action, personText(person));
  await answerTap(ctx);
  await liftBan(ctx, person, deps);
  await showAccount(ctx, person, deps);
}

/** Sends the account to the private chat of the admin who tapped. */
async function send(ctx: BotContext, { userId }: AccountData, deps: AccountDeps): Promise<void> {
  const person = deps.people.find(userId);
  if (!person) return answerTap(ctx, ctx.language.t("tap-unknown"));
  try {
    await showAccount(ctx, person, deps);
    await answerTap(ctx, ctx.language.t("sent-to-private"));
  } catch (error) {
    if (!(error instanceof GrammyError)) throw error;
    await answerTap(ctx, ctx.language.t("private-not-open"), { isAlert: true });
  }
}

async function askWords(ctx: BotContext, userId: number, act: WordsFor, person: string): Promise<void> {
  const { t } = ctx.language;
  await answerTap(ctx);
  await ctx.reply(t(`account-ask-${act}`, { person }), {
    parse_mode: "HTML",
    reply_markup: new InlineKeyboard().text(t("button-back"), accountData.encode({ action: "show", userId })),
  });
  await ask(ctx, ACCOUNT_WORDS, { userId, act });
}
