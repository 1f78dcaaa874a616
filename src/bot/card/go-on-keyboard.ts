import { InlineKeyboard } from "grammy";
import type { Language } from "../texts/texts.js";
import { cardData } from "./callback-data.js";
import type { Drafts } from "./draft/draft-store.js";
import { mainTextOf } from "./form/main-text.js";

/** Offers to go on with the open card of a person's private chat. Undefined without one that has a main text. */
export function goOnKeyboard(
  drafts: Pick<Drafts, "composing">,
  person: { id: number },
  { t }: Language,
): InlineKeyboard | undefined {
  const draft = drafts.composing(person.id, person.id);
  if (!draft || mainTextOf(draft.parameters, undefined) === undefined) return undefined;
  const data = { draftId: draft.id, revision: draft.revision, action: { kind: "show" } } as const;
  return new InlineKeyboard().text(t("button-go-on"), cardData.encode(data));
}
