import { InlineKeyboard } from "grammy";
import { GENERATION_TYPES, type GenerationType } from "../../../contract/model.js";
import type { BotContext } from "../../context.js";
import { editOrIgnore } from "../../telegram/edit-or-ignore.js";
import { answerTap } from "../../telegram/tap-answers.js";
import { cleanText } from "../../texts/html.js";
import type { Texts } from "../../texts/texts.js";
import { type CardDeps, openKind } from "../compose/open-kind.js";
import { meantData } from "./meant-data.js";

const COMMAND = /^\/[^\s@]*(?:@\w+)?\s*/;

/** Collects what people write in place of a command, in every language. */
export function commandNames({ languages }: Texts): ReadonlyMap<string, string> {
  const lists = languages.flatMap(({ t }) => t("command-names").split(";"));
  return new Map(
    lists.flatMap((list) => {
      const [command = "", names = ""] = list.split(":").map((part) => part.trim());
      return names.split(",").map((name): [string, string] => [name.trim().toLowerCase(), command]);
    }),
  );
}

/** Asks whether this command was meant. A kind of file gets a button that keeps the words. */
export async function suggestCommand(ctx: BotContext, command: string): Promise<void> {
  const { t } = ctx.language;
  const type = GENERATION_TYPES.find((kind) => kind === command);
  const keyboard = type && new InlineKeyboard().text(t(`button-type-${type}`), meantData.encode(type));
  const atBot = t("at-bot");
  await ctx.reply(t("unknown-command-meant", { command: `/${command}${atBot}` }), {
    ...(keyboard && { reply_markup: keyboard }),
    ...(ctx.msgId !== undefined && {
      reply_parameters: { message_id: ctx.msgId, allow_sending_without_reply: true },
    }),
  });
}

/** Opens the card that was meant with the words of the message that the suggestion replies to. */
export async function openMeant(ctx: BotContext, type: GenerationType, deps: CardDeps): Promise<void> {
  const { t } = ctx.language;
  const said = ctx.callbackQuery?.message?.reply_to_message;
  if (said?.text === undefined) return answerTap(ctx, t("tap-unknown"));
  if (said.from?.id !== ctx.person.id) return answerTap(ctx, t("tap-not-yours"), { isAlert: true });
  const messageId = said.message_id;
  const open = ctx.chatId === undefined ? undefined : deps.drafts.composing(ctx.person.id, ctx.chatId);
  // A second tap, or the update of the first one again after a crash.
  if (open?.type === type && open.takenMessageId === messageId) return answerTap(ctx, t("start-card-open"));
  const prompt = cleanText(said.text.replace(COMMAND, ""));
  await openKind(ctx, { type, messageId, text: prompt }, deps);
  await editOrIgnore(ctx.editMessageReplyMarkup());
}
