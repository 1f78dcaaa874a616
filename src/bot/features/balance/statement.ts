import type { Clock } from "../../../platform/clock.js";
import type { Statement, StatementPlace } from "../../../ports/statement.js";
import type { BotContext } from "../../context.js";
import type { TopUps } from "../../payments/top-ups.js";
import { editOrIgnore } from "../../telegram/edit-or-ignore.js";
import { isPrivate } from "../../telegram/place.js";
import { answerTap } from "../../telegram/tap-answers.js";
import { uploadOf } from "../../telegram/upload.js";
import type { StatementData } from "./statement-data.js";
import { statementFile } from "./statement-file.js";
import { statementScreen } from "./statement-screen.js";

/** Entries of a file, which keep it below 20 MB. */
const FILE_ENTRIES_MAX = 100_000;

export interface StatementDeps {
  topUps: TopUps;
  statement: Statement;
  clock: Clock;
  /** What stands above the entries, as HTML. */
  headOf(ctx: BotContext): Promise<string>;
}

/** Answers the buttons of statements: other pages, and all entries as a file. */
export function statementTaps(deps: StatementDeps): (ctx: BotContext, data: StatementData) => Promise<void> {
  const writing = new Set<number>();
  return async (ctx, { personId, action }) => {
    const { t } = ctx.language;
    if (personId !== ctx.person.id || !isPrivate(ctx))
      return answerTap(ctx, t("tap-not-yours"), { isAlert: true });
    if (action.kind !== "file")
      return turn(
        ctx,
        action.kind === "older" ? { olderThan: action.entryId } : { newerThan: action.entryId },
        deps,
      );
    if (writing.has(personId)) return answerTap(ctx, t("statement-file-coming"));
    writing.add(personId);
    try {
      await Promise.all([answerTap(ctx, t("statement-file-coming")), sendFile(ctx, deps)]);
    } finally {
      writing.delete(personId);
    }
  };
}

async function turn(ctx: BotContext, place: StatementPlace, deps: StatementDeps): Promise<void> {
  const screen = await statementScreen(ctx, place, deps);
  if (!screen) return answerTap(ctx, ctx.language.t("tap-old-card"));
  const { html, keyboard } = screen;
  const edit = ctx.editMessageText(`${await deps.headOf(ctx)}\n\n${html}`, {
    parse_mode: "HTML",
    reply_markup: keyboard,
  });
  await Promise.all([answerTap(ctx), editOrIgnore(edit)]);
}

async function sendFile(ctx: BotContext, { statement, clock }: StatementDeps): Promise<void> {
  const { person, language } = ctx;
  const day = new Date(clock.now()).toISOString().slice(0, 10);
  const open = async () => statementFile(statement.read(person, FILE_ENTRIES_MAX), language);
  const caption = language.t("statement-file", { count: FILE_ENTRIES_MAX });
  await ctx.replyWithDocument(uploadOf(open, `atelier-${day}.csv`), { caption });
}
