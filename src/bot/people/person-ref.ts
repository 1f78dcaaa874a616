import type { Api } from "grammy";
import { telegramFailure } from "../telegram/failure.js";
import { cutText } from "../texts/html.js";
import type { Translate } from "../texts/texts.js";
import type { People, Person } from "./people.js";

export type PersonRef = { id: number } | { username: string };

export type FoundPerson =
  | { kind: "found"; person: Person }
  | { kind: "stranger" }
  /** The last known owner no longer has this username. */
  | { kind: "renamed"; username: string }
  /** Telegram did not say who owns the username. */
  | { kind: "unchecked"; username: string };

const WORD_SHOWN = 60;

type NotFound = Exclude<FoundPerson, { kind: "found" }>;

/** Parses an id, a @username, or the username of a known person without @; undefined for other text. */
export function readPersonRef(
  word: string,
  isKnownName: (username: string) => boolean,
): PersonRef | undefined {
  if (/^@\w{3,32}$/.test(word)) return { username: word.slice(1) };
  // Usernames begin with a letter: https://core.telegram.org/method/account.checkUsername
  if (/^[a-z]\w{2,31}$/i.test(word) && isKnownName(word)) return { username: word };
  return /^\d{1,15}$/.test(word) ? { id: Number(word) } : undefined;
}

export function knownNames(people: Pick<People, "findByUsername">): (username: string) => boolean {
  return (username) => people.findByUsername(username) !== undefined;
}

export function wrongPersonText(word: string, t: Translate): string {
  return t("fault-person", { word: cutText(word, WORD_SHOWN) });
}

/** Finds a person. A username counts only if Telegram confirms it for the known id, because usernames change hands. */
export async function findPerson(
  ref: PersonRef,
  { people, api }: { people: Pick<People, "find" | "findByUsername">; api: Api },
): Promise<FoundPerson> {
  const person = "id" in ref ? people.find(ref.id) : people.findByUsername(ref.username);
  if (!person) return { kind: "stranger" };
  if ("id" in ref) return { kind: "found", person };
  const { username } = ref;
  const names = await usernamesOf(person.id, api);
  if (!names) return { kind: "unchecked", username };
  return names.includes(username.toLowerCase()) ? { kind: "found", person } : { kind: "renamed", username };
}

/** Tells why nobody was found and what to do next, as plain text. */
export function notFoundText(found: NotFound, t: Translate): string {
  return found.kind === "stranger"
    ? t("person-stranger")
    : t(`person-${found.kind}`, { name: `@${found.username}` });
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
