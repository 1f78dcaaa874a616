import type { Command } from "commander";
import type { Context } from "./context.js";
import { readId } from "./values.js";

export function personCommands(program: Command, context: Context): void {
  const person = program.command("person").description("people of the chat, by their Telegram id");

  person
    .command("forget <ID>")
    .description(
      "erase what is stored about a person: the running service does it when their orders have ended",
    )
    .action(async (given: string) => {
      const id = readId(given, "a person");
      const account_id = await context.withAdminService((service) =>
        service.forgetPerson({ kind: "telegram", subject: String(id) }),
      );
      context.answer({
        json: { telegram_id: id, account_id, state: "asked" },
        text: `person ${id} (account ${account_id}) will be forgotten by the running service`,
      });
    });
}
