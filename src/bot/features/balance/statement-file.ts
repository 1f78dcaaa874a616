import { Readable } from "node:stream";
import { rublesOf } from "../../../contract/money.js";
import type { StatementEntry } from "../../../ports/statement.js";
import type { Language } from "../../texts/texts.js";
import { entryWords, outcomeWords } from "./entry-text.js";

const BYTE_ORDER_MARK = "\ufeff";
const COLUMNS = ["time", "what", "sum", "outcome", "balance"] as const;
/** Beginnings that spreadsheets take for a formula, the full-width signs included. */
const FORMULA = /^[\s"']*[=+\-@\uff1d\uff0b\uff0d\uff20]/u;

/** Streams entries as CSV in UTF-8: with the separators that spreadsheets expect in the person's language. */
export function statementFile(
  chunks: AsyncIterable<readonly StatementEntry[]>,
  language: Language,
): Readable {
  return Readable.from(linesOf(chunks, language), { objectMode: false });
}

async function* linesOf(
  chunks: AsyncIterable<readonly StatementEntry[]>,
  language: Language,
): AsyncGenerator<Buffer> {
  const separator = decimalSign(language) === "," ? ";" : ",";
  const lineOf = (cells: readonly string[]) => `${cells.join(separator)}\r\n`;
  yield Buffer.from(BYTE_ORDER_MARK + lineOf(COLUMNS.map((name) => textCell(language.t(`column-${name}`)))));
  for await (const entries of chunks)
    yield Buffer.from(entries.map((entry) => lineOf(cellsOf(entry, language))).join(""));
}

function cellsOf(entry: StatementEntry, language: Language): string[] {
  return [
    new Date(entry.at).toISOString().slice(0, 19).replace("T", " "),
    textCell(entryWords(entry, language)),
    sumCell(entry.amountKopecks, language),
    textCell(outcomeWords(entry, language) ?? ""),
    sumCell(entry.balanceKopecks, language),
  ];
}

/** Quotes a text, so that no spreadsheet runs it as a formula. */
export function textCell(text: string): string {
  const defused = FORMULA.test(text) ? `'${text}` : text;
  return `"${defused.replaceAll('"', '""')}"`;
}

function sumCell(kopecks: number, language: Language): string {
  return rublesOf(kopecks).toFixed(2).replace(".", decimalSign(language));
}

function decimalSign({ number }: Language): string {
  return number(0.5).includes(",") ? "," : ".";
}
