import type { Message } from "grammy/types";
import type { People } from "./people.js";
import { knownNames, type PersonRef, readPersonRef } from "./person-ref.js";

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
  const named = readPersonRef(word, knownNames(people));
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
