import { escapeHtml } from "../texts/html.js";
import type { Language } from "../texts/texts.js";
import type { People } from "./people.js";

/** Names who did something: a person by name, the service and its command line in words. As HTML. */
export function actorName(actor: string, people: Pick<People, "find">, { t, has }: Language): string {
  const [, id] = /^telegram:(\d{1,15})$/.exec(actor) ?? [];
  const person = id === undefined ? undefined : people.find(Number(id));
  const key = `actor-${actor}`;
  return escapeHtml(person?.name ?? (has(key) ? t(key) : actor));
}
