import { InlineKeyboard } from "grammy";
import type { Clock } from "../../../platform/clock.js";
import type { Statement, StatementPage, StatementPlace } from "../../../ports/statement.js";
import type { TopUps } from "../../payments/top-ups.js";
import type { Person } from "../../people/people.js";
import type { Language } from "../../texts/texts.js";
import { entryHtml, monthWords } from "./entry-text.js";
import { statementData } from "./statement-data.js";

const PAGE_ENTRIES = 10;

export interface Screen {
  html: string;
  keyboard: InlineKeyboard;
}

interface Reader {
  person: Person;
  language: Language;
}

/** Composes a page of the person's entries. Undefined where there are none. */
export async function statementScreen(
  { person, language }: Reader,
  place: StatementPlace,
  { statement, clock, topUps }: { statement: Statement; clock: Clock; topUps: TopUps },
): Promise<Screen | undefined> {
  const page = await statement.page(person, place, PAGE_ENTRIES);
  if (page.entries.length === 0) return undefined;
  const month = monthWords(await statement.month(person), clock.now(), language);
  const entries = page.entries.map((entry) => entryHtml(entry, language));
  const head = [`<b>${language.t("statement-title")}</b>`, ...(month === undefined ? [] : [month])];
  const keyboard = keyboardOf(page, person.id, language);
  if (topUps.isOn) keyboard.row(topUps.menuButton(language));
  return { html: [head.join("\n"), ...entries].join("\n\n"), keyboard };
}

function keyboardOf(
  { entries, hasOlder, hasNewer }: StatementPage,
  personId: number,
  { t }: Language,
): InlineKeyboard {
  const keyboard = new InlineKeyboard();
  const [newest, oldest] = [entries[0], entries.at(-1)];
  const to = (kind: "older" | "newer", entryId: number) =>
    statementData.encode({ personId, action: { kind, entryId } });
  if (hasNewer && newest) keyboard.text(t("button-newer"), to("newer", newest.id));
  if (hasOlder && oldest) keyboard.text(t("button-older"), to("older", oldest.id));
  const file = statementData.encode({ personId, action: { kind: "file" } });
  return keyboard.row().text(t("button-statement-file"), file);
}
