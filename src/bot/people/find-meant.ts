import type { Api } from "grammy";
import type { Translate } from "../texts/texts.js";
import type { MeantPerson } from "./meant-person.js";
import type { People, Person } from "./people.js";
import { findPerson, notFoundText, wrongPersonText } from "./person-ref.js";

interface FindDeps {
  people: Pick<People, "find" | "findByUsername">;
  api: Api;
}

/** Finds the person whom an admin means. Otherwise tells why nobody was found, as plain text. */
export async function findMeant(
  meant: MeantPerson,
  deps: FindDeps,
  t: Translate,
): Promise<{ person: Person } | { fault: string }> {
  if (meant === "hidden") return { fault: t("person-hidden") };
  if ("word" in meant) return { fault: wrongPersonText(meant.word, t) };
  const found = await findPerson(meant, deps);
  return found.kind === "found" ? { person: found.person } : { fault: notFoundText(found, t) };
}
