import type { Command } from "commander";
import { loadWordList } from "../moderation/load-word-list.js";
import { CommandError } from "./command-error.js";
import type { Context } from "./context.js";

/** Adds `moderation test` and `moderation reload`: the operator's rules, by which orders are judged before they are paid. */
export function moderationCommands(program: Command, context: Context): void {
  const moderation = program.command("moderation").description("the rules for the words of orders");

  moderation
    .command("test <TEXT>")
    .description("tell whether a text is refused, and by which rule; MODERATION_API_ROOT is not asked")
    .option("--file <FILE>", "rules of this file in place of MODERATION_FILE")
    .action(async (text: string, { file }: { file?: string }) => {
      const files = file === undefined ? context.moderationFiles : [file];
      if (files.length === 0) throw new CommandError("MODERATION_FILE is not set: name a file with --file");
      const rule = await loadWordList(files).refusing(text);
      const json = rule
        ? { refused: true, file: rule.file, line: rule.line, rule: rule.text }
        : { refused: false };
      context.answer({ json, text: rule ? `refused by ${rule.file}:${rule.line}: ${rule.text}` : "allowed" });
    });

  moderation
    .command("reload")
    .description("make the running service read MODERATION_FILE anew; a wrong file changes nothing")
    .action(async () => {
      const files = context.moderationFiles;
      if (files.length === 0)
        throw new CommandError("MODERATION_FILE is not set: there is nothing to read anew");
      // A wrong rule is told also where no service runs.
      loadWordList(files);
      await context.reloadRules();
      context.answer({ json: { files }, text: `the service has read ${files.join(", ")}` });
    });
}
