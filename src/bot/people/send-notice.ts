import type { Api } from "grammy";
import type { Logger } from "../../platform/logger.js";
import type { Person } from "./people.js";

/** Sends HTML to a person. Resolves to false, and logs, where Telegram does not take it. */
export async function sendNotice(
  person: Pick<Person, "id">,
  html: string,
  { api, logger }: { api: Api; logger: Logger },
): Promise<boolean> {
  try {
    await api.sendMessage(person.id, html, { parse_mode: "HTML" });
    return true;
  } catch (error) {
    logger.info({ user_id: person.id, err: error }, "notice to the person not sent");
    return false;
  }
}
