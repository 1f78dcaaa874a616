import type { Api } from "grammy";
import type { Message } from "grammy/types";
import { telegramFailure } from "../telegram/failure.js";
import { escapeHtml, quotedWord } from "../texts/html.js";
import type { Language, Translate } from "../texts/texts.js";
import type { People, Person } from "./people.js";

export type PersonRef = { id: number } | { username: string };

/** Parses an id, a @username, or the username of a known person without @; undefined for other text. */
export function readPersonRef(word: string, people: Pick<People, "findByUsername">): PersonRef | undefined {
  if (/^@\w{3,32}$/.test(word)) return { username: word.slice(1) };
  // Usernames begin with a letter: https://core.telegram.org/method/account.checkUsername
  if (/^[a-z]\w{2,31}$/i.test(word) && people.findByUsername(word)) return { username: word };
  return /^\d{1,15}$/.test(word) ? { id: Number(word) } : undefined;
}

export function wrongPersonText(word: string, t: Translate): string {
  return t("fault-person", { word: quotedWord(word) });
}

/**
 * Finds whom an admin means, or tells why not and what to do next, as plain text. A username counts only if Telegram confirms
 * it for the known id, because usernames change hands.
 */
export async function findPerson(
  meant: MeantPerson,
  { people, api }: { people: Pick<People, "find" | "findByUsername">; api: Api },
  t: Translate,
): Promise<{ person: Person } | { fault: string }> {
  if (meant === "hidden") return { fault: t("person-hidden") };
  if ("word" in meant) return { fault: wrongPersonText(meant.word, t) };
  const person = "id" in meant ? people.find(meant.id) : people.findByUsername(meant.username);
  if (!person) return { fault: t("person-stranger") };
  if ("id" in meant) return { person };
  const names = await usernamesOf(person.id, api);
  if (names?.includes(meant.username.toLowerCase())) return { person };
  // Another has the name now, or Telegram did not say who.
  return { fault: t(names ? "person-renamed" : "person-unchecked", { name: `@${meant.username}` }) };
}

/** Reads the usernames of a person. Throws a transient error, so that a command that shutdown interrupts runs again. */
async function usernamesOf(id: number, api: Api): Promise<readonly string[] | undefined> {
  try {
    const { username, active_usernames = [] } = await api.getChat(id);
    return [username ?? "", ...active_usernames].map((name) => name.toLowerCase());
  } catch (error) {
    if (telegramFailure(error).kind === "again") throw error;
    return undefined;
  }
}

/** Whom a message means. `hidden`: the author of a forwarded message does not let others see who they are. */
export type MeantPerson = PersonRef | "hidden" | { word: string };

/**
 * Reads whom an admin means: words that begin with an id or a name, else the author of the forwarded message that the
 * command replies to. Undefined for neither. `rest`: the words that follow.
 */
export function meantPerson(
  words: string,
  replied: Message | undefined,
  people: Pick<People, "findByUsername">,
): { meant: MeantPerson; rest: string } | undefined {
  const [word = "", ...others] = words.trim().split(/\s+/);
  const named = readPersonRef(word, people);
  if (named) return { meant: named, rest: others.join(" ") };
  const author = replied && authorOf(replied);
  if (author) return { meant: author, rest: words };
  return word === "" ? undefined : { meant: { word }, rest: others.join(" ") };
}

/** Returns the author of a forwarded message; undefined for other messages, and for posts of chats. */
export function authorOf({ forward_origin: origin }: Message): PersonRef | "hidden" | undefined {
  if (origin?.type === "hidden_user") return "hidden";
  return origin?.type === "user" && !origin.sender_user.is_bot ? { id: origin.sender_user.id } : undefined;
}

/** Names who did something: a person by name, the service and its command line in words. As HTML. */
export function actorName(actor: string, people: Pick<People, "find">, { t, has }: Language): string {
  const [, id] = /^telegram:(\d{1,15})$/.exec(actor) ?? [];
  const person = id === undefined ? undefined : people.find(Number(id));
  const key = `actor-${actor}`;
  return escapeHtml(person?.name ?? (has(key) ? t(key) : actor));
}
