import type { Command } from "commander";
import type { DataBefore, RestoreReport } from "../core/restore-facts.js";
import { isoTime } from "../platform/zoned-time.js";
import type { Context } from "./context.js";

/** Adds `backup FILE`: a consistent copy of the data of a running service, as the service itself makes. */
export function backupCommand(program: Command, context: Context): void {
  program
    .command("backup <FILE>")
    .description("copy the data to a new folder, with finished files where BACKUP_MEDIA is true")
    .action(async (file: string) => {
      const { files, bytes } = await context.settings().backupTo(file);
      context.answer({ json: { file, bytes }, text: `${file}: ${bytes} bytes in ${files} files` });
    });
}

/** Adds `restore FILE`: puts a backup in the place of the data, while no service runs on it. */
export function restoreCommand(program: Command, context: Context): void {
  program
    .command("restore <FILE>")
    .description("put a backup in the place of the data; what was there is moved aside")
    .option("--yes", "replace data that is there")
    .action(async (file: string, { yes = false }: { yes?: boolean }) => {
      const restored = await context.settings().restore(file, yes);
      context.answer({ json: jsonOf(file, restored), text: textOf(file, restored) });
    });
}

function jsonOf(file: string, { madeAt, facts, before, keptIn }: RestoreReport) {
  return {
    file,
    made_at: madeAt,
    last_entry_at: isoTime(facts.lastEntryAt),
    last_entry_before: isoTime(before?.facts?.lastEntryAt ?? null),
    open_attempts: facts.openAttempts,
    lost_attempts: before?.facts?.lostAttempts ?? null,
    kept_in: keptIn ?? null,
  };
}

function textOf(file: string, { madeAt, facts, before, keptIn }: RestoreReport): string {
  const lines = [
    `${file}, made at ${madeAt}, is the data now; its last entry: ${isoTime(facts.lastEntryAt) ?? "none"}`,
  ];
  if (before) lines.push(lossText(before.facts));
  if (facts.openAttempts > 0)
    lines.push(`${facts.openAttempts} attempts were open in it: the next start sends none of them again`);
  if (keptIn !== undefined) lines.push(`the data of before is in ${keptIn}`);
  return lines.join("\n");
}

function lossText(before: DataBefore["facts"]): string {
  if (!before) return "lost: what came after it, which cannot be counted";
  if (before.lostEntries === 0 && before.lostAttempts === 0)
    return "lost: no ledger entry and no attempt at a service";
  const until = isoTime(before.lastEntryAt) ?? "now";
  return `lost: what came until ${until}, with ${before.lostEntries} ledger entries and ${before.lostAttempts ?? "an unknown number of"} attempts at services`;
}
