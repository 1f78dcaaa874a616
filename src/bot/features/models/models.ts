import { Composer, type InlineKeyboard } from "grammy";
import type { Admins } from "../../../ports/admins.js";
import type { ModelSwitches, SwitchedModel } from "../../../ports/model-switches.js";
import { modelToken } from "../../card/form/fields.js";
import type { BotContext } from "../../context.js";
import { ask, leaveQuestion, type Question, questionDialog } from "../../dialogs/ask.js";
import type { Feature } from "../../feature.js";
import { forAdminsAlone, ownWordsOnly } from "../../middleware/admin-only.js";
import { taps } from "../../middleware/taps.js";
import { editOrIgnore } from "../../telegram/edit-or-ignore.js";
import { isOwnWords } from "../../telegram/message-content.js";
import { answerTap } from "../../telegram/tap-answers.js";
import { cleanText, codePoints } from "../../texts/html.js";
import { type ModelData, modelData } from "./model-data.js";
import { type ModelsScreen, modelScreen, modelsScreen } from "./models-screen.js";

interface ModelsDeps {
  models: ModelSwitches;
  adminIds: Admins;
}

/** Asks an admin what people should read about a model. */
const MODEL_NOTE: Question<{ token: string }> = { name: "model-note" };
/** Limits a note in code points: it is one line of a card. */
const NOTE_MAX = 100;

/** Handles `/models`, for admins in their private chats: what is sold, switched off and on, with notes. */
export function modelsFeature(deps: ModelsDeps): Feature {
  const composer = new Composer<BotContext>();
  const forAdmins = composer.filter(forAdminsAlone(deps.adminIds));
  forAdmins.command("models", ownWordsOnly, (ctx) =>
    reply(ctx, modelsScreen(deps.models.list(), 0, ctx.language)),
  );
  forAdmins.use(taps(modelData, (ctx, data) => act(ctx, data, deps)));
  const note = questionDialog(MODEL_NOTE, {
    endsOnCommand: true,
    async take(ctx, { token }) {
      const model = find(deps.models, token);
      if (!model || !deps.adminIds.has(ctx.person.id)) return { kind: "gone" };
      const { message } = ctx;
      if (message?.text === undefined) return { kind: "passed" };
      const { t } = ctx.language;
      const words = cleanText(message.text).replace(/\s+/g, " ");
      const isUsable = isOwnWords(message) && words !== "" && codePoints(words) <= NOTE_MAX;
      if (!isUsable)
        return { kind: "refused", reply: () => ctx.reply(t("model-ask-note", { max: NOTE_MAX })) };
      await deps.models.change({ key: model.key, note: words, actor: actorOf(ctx) });
      await show(ctx, token, deps);
      return { kind: "over" };
    },
  });
  return {
    name: "models",
    adminCommands: ["models"],
    callbackPrefixes: [modelData.prefix],
    questions: [note],
    composer,
  };
}

async function act(ctx: BotContext, data: ModelData, { models }: ModelsDeps): Promise<void> {
  await leaveQuestion(ctx, MODEL_NOTE);
  const { language } = ctx;
  if (data.action === "list")
    return void (await Promise.all([
      answerTap(ctx),
      edit(ctx, modelsScreen(models.list(), data.page, language)),
    ]));
  const model = find(models, data.token);
  if (!model) return answerTap(ctx, language.t("tap-unknown"));
  if (data.action === "note") {
    await answerTap(ctx);
    await ctx.reply(language.t("model-ask-note", { max: NOTE_MAX }));
    return ask(ctx, MODEL_NOTE, { token: data.token });
  }
  const { key } = model;
  const actor = actorOf(ctx);
  if (data.action === "clear") await models.change({ key, note: null, actor });
  else if (data.action !== "show") await models.change({ key, isOff: data.action === "off", actor });
  const changed = find(models, data.token) ?? model;
  await Promise.all([answerTap(ctx), edit(ctx, modelScreen(changed, language))]);
}

async function show(ctx: BotContext, token: string, { models }: ModelsDeps): Promise<void> {
  const model = find(models, token);
  if (model) await reply(ctx, modelScreen(model, ctx.language));
}

function find(models: ModelSwitches, token: string): SwitchedModel | undefined {
  return models.list().find(({ key }) => modelToken(key) === token);
}

function actorOf(ctx: BotContext): string {
  return `telegram:${ctx.person.id}`;
}

async function reply(ctx: BotContext, { text, keyboard }: ModelsScreen): Promise<void> {
  await ctx.reply(text, { parse_mode: "HTML", reply_markup: keyboard });
}

function edit(
  ctx: BotContext,
  { text, keyboard }: { text: string; keyboard: InlineKeyboard },
): Promise<void> {
  return editOrIgnore(ctx.editMessageText(text, { parse_mode: "HTML", reply_markup: keyboard }));
}
