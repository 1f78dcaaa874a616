import { existsSync, statSync } from "node:fs";
import type { Command } from "commander";
import { CommandError } from "./command-error.js";
import type { Context } from "./context.js";

/** `backup FILE`: a consistent copy of the database, taken while the service goes on. */
export function backupCommand(program: Command, context: Context): void {
  program
    .command("backup <FILE>")
    .description("copy the database to a new file; media is a folder to copy by hand")
    .action(async (file: string) => {
      if (existsSync(file)) throw new CommandError(`${file} exists already`);
      await context.withDatabase((database) => database.backup(file));
      const bytes = statSync(file).size;
      context.answer({ json: { file, bytes }, text: `${file}: ${bytes} bytes` });
    });
}
