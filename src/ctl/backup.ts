import { closeSync, openSync, rmSync, statSync } from "node:fs";
import type { Command } from "commander";
import { reasonOf } from "../platform/reason-of.js";
import { CommandError } from "./command-error.js";
import type { Context, ToolDatabase } from "./context.js";

/** Adds `backup FILE`: a consistent copy of the database of a running service. */
export function backupCommand(program: Command, context: Context): void {
  program
    .command("backup <FILE>")
    .description("copy the database to a new file; media is a folder to copy by hand")
    .action(async (file: string) => {
      await context.withDatabase((database) => copyTo(file, database));
      const bytes = statSync(file).size;
      context.answer({ json: { file, bytes }, text: `${file}: ${bytes} bytes` });
    });
}

/** Copies the database to a file that only the owner can read. A failed copy leaves no file. */
function copyTo(file: string, database: ToolDatabase): void {
  makeEmpty(file);
  try {
    database.backup(file);
  } catch (error) {
    rmSync(file, { force: true });
    throw new CommandError(`${file} cannot be written (${reasonOf(error)})`);
  }
}

function makeEmpty(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST")
      throw new CommandError(`${file} exists already`);
    throw new CommandError(`${JSON.stringify(file)} cannot be made (${reasonOf(error)})`);
  }
}
