import type { Command } from "commander";
import { CommandError } from "./command-error.js";
import type { Context } from "./context.js";
import { table } from "./text.js";
import { isoTime, readId } from "./values.js";

export function adminCommands(program: Command, context: Context): void {
  const admin = program.command("admin").description("the admins of the bot");

  admin
    .command("list")
    .description("those of ADMIN_IDS, and those who became one by the code of a start")
    .action(async () => {
      const shown = await context.withAdmins((admins, listed) => [
        ...listed.map((id) => ({ user_id: id, source: "ADMIN_IDS", name: null, added_at: null })),
        ...admins.kept().map(({ user_id, name, added_at }) => {
          return { user_id, source: "code", name, added_at: isoTime(added_at) };
        }),
      ]);
      const rows = shown.map((one) => [one.user_id, one.source, one.name, one.added_at]);
      context.answer({ json: shown, text: table(["id", "by", "name", "since"], rows) });
    });

  admin
    .command("remove <ID>")
    .description("make an admin a person like others, from the next message on")
    .action(async (given: string) => {
      const id = readId(given, "a person");
      const isListed = await context.withAdmins(async (admins, listed) => {
        if (!(await admins.remove(id, "ctl"))) throw new CommandError(notRemoved(id, listed));
        return listed.includes(id);
      });
      const note = isListed ? " here, and stays one by ADMIN_IDS" : "";
      context.answer({ json: { user_id: id, is_admin: isListed }, text: `${id} is no admin${note}` });
    });
}

function notRemoved(id: number, listed: readonly number[]): string {
  return listed.includes(id)
    ? `${id} is an admin by ADMIN_IDS: take it out there, and restart the service`
    : `${id} is no admin: "admin list" shows them`;
}
