import type { Command } from "commander";
import type { Context } from "./context.js";

/** Adds `backup FILE`: a consistent copy of the data of a running service, as the service itself makes. */
export function backupCommand(program: Command, context: Context): void {
  program
    .command("backup <FILE>")
    .description("copy the data to a new folder, with finished files where BACKUP_MEDIA is true")
    .action(async (file: string) => {
      const { files, bytes } = await context.backupTo(file);
      context.answer({ json: { file, bytes }, text: `${file}: ${bytes} bytes in ${files} files` });
    });
}
