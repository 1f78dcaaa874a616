import type { SandboxPerson } from "@atelier/telegram-sandbox";
import type { TelegramMessage } from "@gramio/types";
import { ADMIN, ANN, BORIS, type TestService } from "./service.js";

const PEOPLE = [ANN, BORIS, ADMIN];
/** Far above the ids that the sandbox gives. */
let nextId = 800_000;

/** Hands the bot a message that no client of the sandbox can write: fields of `content` stand over the usual ones. */
export function pushMessage(
  { sandbox }: TestService,
  person: SandboxPerson,
  content: Partial<TelegramMessage>,
): void {
  const spec = PEOPLE.find(({ id }) => id === person.id);
  if (!spec) throw new Error(`nobody has the id ${person.id}`);
  const { first_name, username, language_code } = spec;
  nextId += 1;
  const command = /^\/\w+/.exec(content.text ?? "")?.[0];
  sandbox.pushUpdate("message", {
    message_id: nextId,
    date: Math.floor(Date.now() / 1000),
    from: { id: person.id, is_bot: false, first_name, username, language_code },
    chat: { id: person.id, type: "private", first_name, username },
    ...(command ? { entities: [{ type: "bot_command", offset: 0, length: command.length }] } : {}),
    ...content,
  });
}
