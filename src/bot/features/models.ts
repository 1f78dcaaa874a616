import { Composer, InlineKeyboard } from "grammy";
import type { ModelOverrides, SwitchedModel } from "../../catalogue/model-overrides.js";
import { GENERATION_TYPES } from "../../contract/model.js";
import { nameToken } from "../card/form/fields.js";
import { actorOf, type BotContext } from "../context.js";
import { ask, type Question, questionDialog, refused } from "../dialogs.js";
import type { Feature } from "../feature.js";
import { forAdminsAlone, ownWordsOnly, taps } from "../middleware.js";
import type { ManagedBot } from "../modules.js";
import { type Screen, sendScreen, turnTo } from "../screens.js";
import { actionData, type DataOf, matching, natural } from "../telegram/button-data.js";
import { isOwnWords } from "../telegram/message-content.js";
import { answerTap } from "../telegram/tap-answers.js";
import { cleanText, codePoints, escapeHtml } from "../texts/html.js";
import type { Language, Texts } from "../texts/texts.js";

const token = matching("token", /^[~\w.-]{1,40}$/);

/** `mo:list:<page>`, or `mo:<action>:<token of a model>`, and for a note the code of its language */
const modelData = actionData("mo", {
  list: ["list", natural("page")],
  show: ["show", token],
  off: ["off", token],
  on: ["on", token],
  note: ["note", token, matching("code", /^[a-z]{2,3}$/)],
  clear: ["clear", token],
});

const PAGE_SIZE = 10;
const ICONS = { image: "🖼", video: "🎬", music: "🎵" } as const;

/** Lists what the catalogue sells by kind, with what is off. A page that no longer exists shows the last one. */
function modelsScreen(models: readonly SwitchedModel[], wanted: number, { t }: Language): Screen {
  const pages = Math.max(1, Math.ceil(models.length / PAGE_SIZE));
  const page = Math.min(wanted, pages - 1);
  const keyboard = new InlineKeyboard();
  const sorted = GENERATION_TYPES.flatMap((type) => models.filter((model) => model.type === type));
  for (const { key, type, title, isOff, note } of sorted.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE)) {
    const label = `${isOff ? "🔴" : "🟢"} ${ICONS[type]} ${title}${note === null ? "" : " 📝"}`;
    keyboard.text(label, modelData.encode({ action: "show", token: nameToken(key) })).row();
  }
  if (page > 0) keyboard.text("‹", modelData.encode({ action: "list", page: page - 1 }));
  if (page < pages - 1) keyboard.text("›", modelData.encode({ action: "list", page: page + 1 }));
  const off = models.filter(({ isOff }) => isOff).length;
  return { text: t("models-sold", { count: models.length, off }), keyboard };
}

/** Shows one model as HTML, with what can be changed of it. */
function modelScreen({ key, title, isOff, note }: SwitchedModel, { t }: Language, texts: Texts): Screen {
  const notes = Object.entries(note ?? {}).map(([code, words]) =>
    t("model-note", { language: texts.in(code).ownName, note: escapeHtml(words) }),
  );
  const token = nameToken(key);
  const lines = [
    `<b>${escapeHtml(title)}</b> · <code>${escapeHtml(key)}</code>`,
    t(isOff ? "model-is-off" : "model-is-on"),
    ...notes,
  ];
  const keyboard = new InlineKeyboard();
  if (isOff) keyboard.text(t("button-model-on"), modelData.encode({ action: "on", token })).success();
  else keyboard.text(t("button-model-off"), modelData.encode({ action: "off", token })).danger();
  for (const { code, ownName: language } of texts.languages)
    keyboard
      .row()
      .text(t("button-model-note", { language }), modelData.encode({ action: "note", token, code }));
  if (note !== null)
    keyboard.row().text(t("button-model-clear"), modelData.encode({ action: "clear", token }));
  keyboard.row().text(t("button-back"), modelData.encode({ action: "list", page: 0 }));
  return { text: lines.join("\n"), keyboard };
}

/** Asks an admin what people who read a language should know about a model. */
const MODEL_NOTE: Question<{ token: string; code?: string }> = { name: "model-note" };
/** Limits a note in code points: it is one line of a card. */
const NOTE_MAX = 100;

/** Handles `/models`, for admins in their private chats: what is sold, switched off and on, with notes. */
export function modelsFeature(bot: ManagedBot): Feature {
  const composer = new Composer<BotContext>();
  const forAdmins = composer.filter(forAdminsAlone(bot.adminIds));
  forAdmins.command("models", ownWordsOnly, (ctx) =>
    sendScreen(ctx, modelsScreen(bot.accounts.models.list(), 0, ctx.language)),
  );
  forAdmins.use(taps(modelData, (ctx, data) => act(ctx, data, bot)));
  const note = questionDialog(MODEL_NOTE, {
    async take(ctx, { token, code = ctx.language.code }) {
      const model = find(bot.accounts.models, token);
      if (!model || !bot.adminIds.has(ctx.person.id)) return { kind: "gone" };
      const { message } = ctx;
      if (message?.text === undefined) return { kind: "passed" };
      const words = cleanText(message.text).replace(/\s+/g, " ");
      const isUsable = isOwnWords(message) && words !== "" && codePoints(words) <= NOTE_MAX;
      if (!isUsable) return refused(ctx, noteQuestion(ctx, bot.texts.in(code)));
      await bot.accounts.models.change({ key: model.key, note: { [code]: words }, actor: actorOf(ctx) });
      const changed = find(bot.accounts.models, token) ?? model;
      await sendScreen(ctx, modelScreen(changed, ctx.language, bot.texts));
      return { kind: "over" };
    },
  });
  return { adminCommands: ["models"], questions: [note], composer };
}

function noteQuestion({ language: { t } }: BotContext, { ownName }: Language): string {
  return t("model-ask-note", { language: ownName, max: NOTE_MAX });
}

async function act(
  ctx: BotContext,
  data: DataOf<typeof modelData>,
  { accounts: { models }, texts }: ManagedBot,
): Promise<void> {
  await ctx.conversation.exit(MODEL_NOTE.name);
  const { language } = ctx;
  if (data.action === "list") return turnTo(ctx, modelsScreen(models.list(), data.page, language));
  const model = find(models, data.token);
  if (!model) return answerTap(ctx, language.t("tap-unknown"));
  if (data.action === "note") {
    const { token, code } = data;
    await answerTap(ctx);
    await ctx.reply(noteQuestion(ctx, texts.in(code)));
    return ask(ctx, MODEL_NOTE, { token, code });
  }
  const { key } = model;
  const actor = actorOf(ctx);
  if (data.action === "clear") await models.change({ key, note: null, actor });
  else if (data.action !== "show") await models.change({ key, isOff: data.action === "off", actor });
  const changed = find(models, data.token) ?? model;
  await turnTo(ctx, modelScreen(changed, language, texts));
}

function find(models: ModelOverrides, token: string): SwitchedModel | undefined {
  return models.list().find(({ key }) => nameToken(key) === token);
}
