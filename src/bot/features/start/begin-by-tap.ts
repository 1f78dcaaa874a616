import type { GenerationType } from "../../../contract/model.js";
import type { Draft } from "../../card/draft/draft.js";
import { mainTextOf } from "../../card/form/main-text.js";
import type { BotContext } from "../../context.js";
import { answerTap } from "../../telegram/tap-answers.js";
import { type CardDeps, openKind } from "../compose/open-kind.js";
import type { StartData } from "./start-data.js";

/** Opens a card from a greeting's button. A second tap finds the same card. */
export async function beginByTap(ctx: BotContext, data: StartData, deps: CardDeps): Promise<void> {
  if (data.personId !== undefined && data.personId !== ctx.person.id)
    return answerTap(ctx, ctx.language.t("tap-not-yours"), { isAlert: true });
  const { type, isExample } = data;
  const messageId = ctx.msgId ?? 0;
  const text = isExample ? ctx.language.t(`example-${type}`) : "";
  const open = ctx.chatId === undefined ? undefined : deps.drafts.composing(ctx.person.id, ctx.chatId);
  if (open && isUntouched(open, type, messageId, text)) {
    const told = answerTap(ctx, ctx.language.t("start-card-open"));
    await Promise.all([told, deps.cards.refresh(open, ctx)]);
    return;
  }
  await openKind(ctx, { type, messageId, text }, deps);
}

function isUntouched(open: Draft, type: GenerationType, messageId: number, text: string): boolean {
  const { revision, takenMessageId, parameters } = open;
  const isSame = takenMessageId === messageId && open.type === type;
  return revision === 1 && isSame && (mainTextOf(parameters, undefined) ?? "") === text;
}
