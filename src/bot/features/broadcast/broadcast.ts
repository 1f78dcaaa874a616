import { Composer } from "grammy";
import type { Logger } from "../../../platform/logger.js";
import type { Admins } from "../../../ports/admins.js";
import type { Act } from "../../../ports/audit.js";
import type { BotContext } from "../../context.js";
import { ask, type Question, questionDialog } from "../../dialogs/ask.js";
import type { Feature } from "../../feature.js";
import { forAdminsAlone, ownWordsOnly } from "../../middleware/admin-only.js";
import { taps } from "../../middleware/taps.js";
import type { RecordAct } from "../../record-act.js";
import { editOrIgnore } from "../../telegram/edit-or-ignore.js";
import { answerTap } from "../../telegram/tap-answers.js";
import type { Texts } from "../../texts/texts.js";
import { withNext } from "./audience.js";
import { type BroadcastTap, broadcastTap } from "./broadcast-data.js";
import { audienceScreen, type BroadcastScreen, progressScreen } from "./broadcast-screen.js";
import type { Broadcast, Broadcasts } from "./broadcast-store.js";
import { eraseRecipient } from "./broadcast-table.js";
import { newsKeyboard } from "./news.js";
import type { Recipients } from "./recipients.js";

/** Asks for the message that people get. */
const MESSAGE: Question<null> = { name: "broadcast" };

interface BroadcastDeps {
  adminIds: Admins;
  broadcasts: Broadcasts;
  recipients: Recipients;
  recordAct: RecordAct;
  texts: Texts;
  logger: Logger;
}

/** Handles `/broadcast` of admins: a message that is copied to people, after a look at it and at whom it is for. */
export function broadcastFeature(deps: BroadcastDeps): Feature {
  const composer = new Composer<BotContext>();
  const admins = composer.filter(forAdminsAlone(deps.adminIds));
  admins.command("broadcast", ownWordsOnly, async (ctx) => {
    await ctx.reply(ctx.language.t("broadcast-ask"));
    await ask(ctx, MESSAGE, null);
  });
  admins.use(taps(broadcastTap, (ctx, tap) => act(ctx, tap, deps)));
  const message = questionDialog(MESSAGE, {
    endsOnCommand: true,
    async take(ctx) {
      if (!deps.adminIds.has(ctx.person.id)) return { kind: "gone" };
      const { message } = ctx;
      if (!message) return { kind: "ignored" };
      if (message.media_group_id !== undefined)
        return { kind: "refused", reply: () => ctx.reply(ctx.language.t("broadcast-no-album")) };
      const broadcast = await deps.broadcasts.compose(ctx.person.id, message.message_id);
      return { kind: "over", reply: () => preview(ctx, broadcast, deps) };
    },
  });
  return {
    name: "broadcast",
    adminCommands: ["broadcast"],
    callbackPrefixes: [broadcastTap.prefix],
    ownData: { eraseIn: eraseRecipient },
    questions: [message],
    composer,
  };
}

/** Copies the message to the admin as people will see it, then asks for whom it is. */
async function preview(ctx: BotContext, broadcast: Broadcast, deps: BroadcastDeps): Promise<void> {
  const keyboard = newsKeyboard(broadcast.audience, ctx.language);
  await ctx.copyMessage(broadcast.admin_id, keyboard && { reply_markup: keyboard });
  const { text, keyboard: buttons } = await askedScreen(ctx, broadcast, deps);
  const { message_id } = await ctx.reply(text, { reply_markup: buttons });
  await deps.broadcasts.setScreen(broadcast.id, message_id);
}

async function act(ctx: BotContext, tap: BroadcastTap, deps: BroadcastDeps): Promise<void> {
  const broadcast = deps.broadcasts.find(tap.id);
  const isCurrent = broadcast && (!("revision" in tap) || broadcast.revision === tap.revision);
  if (!broadcast || !isCurrent) return answerTap(ctx, ctx.language.t("tap-unknown"));
  switch (tap.action) {
    case "next": {
      const locales = deps.texts.languages.map(({ code }) => code);
      await deps.broadcasts.setAudience(broadcast, withNext(broadcast.audience, tap.field, locales));
      return redraw(ctx, broadcast.id, deps);
    }
    case "send":
      return start(ctx, broadcast, deps);
    case "cancel":
      await deps.broadcasts.move(broadcast.id, "composing", "cancelled");
      return redraw(ctx, broadcast.id, deps);
    case "stop":
      return change(ctx, broadcast, "running", "stopped", deps);
    case "resume":
      return change(ctx, broadcast, "stopped", "running", deps);
  }
}

async function start(ctx: BotContext, broadcast: Broadcast, deps: BroadcastDeps): Promise<void> {
  const { broadcasts, recipients, logger } = deps;
  const total = await recipients.count(broadcast.audience);
  const act = actOf(ctx, "broadcast", { ...broadcast, total });
  if (await broadcasts.start(broadcast, total, (tx, at) => deps.recordAct(tx, { ...act, at })))
    logger.info({ broadcast: broadcast.id, total, user_id: ctx.person.id }, "broadcast started");
  await redraw(ctx, broadcast.id, deps);
}

async function change(
  ctx: BotContext,
  broadcast: Broadcast,
  from: "running" | "stopped",
  to: "running" | "stopped",
  deps: BroadcastDeps,
): Promise<void> {
  const name = to === "stopped" ? "broadcast_stop" : "broadcast_resume";
  const act = actOf(ctx, name, broadcast);
  await deps.broadcasts.move(broadcast.id, from, to, (tx, at) => deps.recordAct(tx, { ...act, at }));
  await redraw(ctx, broadcast.id, deps);
}

function actOf(ctx: BotContext, act: string, { id, audience, total }: Broadcast): Act {
  return {
    actor: `telegram:${ctx.person.id}`,
    act,
    accountId: null,
    subject: `broadcast:${id}`,
    before: null,
    after: { ...audience, total },
    reason: null,
  };
}

async function redraw(ctx: BotContext, id: number, deps: BroadcastDeps): Promise<void> {
  const broadcast = deps.broadcasts.find(id);
  if (!broadcast) return answerTap(ctx);
  const { text, keyboard } = await askedScreen(ctx, broadcast, deps);
  const edit = ctx.editMessageText(text, { reply_markup: keyboard });
  await Promise.all([answerTap(ctx), editOrIgnore(edit)]);
}

async function askedScreen(
  { language }: BotContext,
  broadcast: Broadcast,
  { recipients, texts }: BroadcastDeps,
): Promise<BroadcastScreen> {
  if (broadcast.state !== "composing") return progressScreen(broadcast, language);
  return audienceScreen(broadcast, await recipients.count(broadcast.audience), language, texts);
}
