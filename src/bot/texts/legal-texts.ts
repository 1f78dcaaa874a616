import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgreedText } from "../../accounts/consent-log.js";
import { reasonOf } from "../../platform/errors.js";
import { escapeHtml } from "./html.js";
import type { Texts } from "./texts.js";

export const LEGAL_DOCUMENTS = ["terms", "privacy"] as const;
export type LegalDocument = (typeof LEGAL_DOCUMENTS)[number];

/** The most characters of a page, below Telegram's limit of 4096. */
const PAGE_MAX = 3800;

/** The operator's terms and privacy policy in each language. Their version is their content. */
export class LegalTexts {
  /** @param files texts by `<document>.<language>` */
  constructor(private readonly files: ReadonlyMap<string, string>) {}

  /** Names what people agree to before they pay, in the words of their language. */
  agreedIn(language: string): AgreedText[] {
    return LEGAL_DOCUMENTS.map((document) => {
      const hash = createHash("sha256").update(this.#text(document, language));
      return { document, version: hash.digest("hex").slice(0, 16) };
    });
  }

  /** Returns a document as pages of HTML. `names`: what stands in the files for `{SUPPORT_CONTACT}` and `{BOT}`. */
  pagesOf(document: LegalDocument, language: string, names: { contact: string; bot: string }): string[] {
    const text = this.#text(document, language)
      .replaceAll("{SUPPORT_CONTACT}", names.contact)
      .replaceAll("{BOT}", names.bot);
    return paged(text.split(/\n{2,}/).map(paragraphHtml));
  }

  #text(document: LegalDocument, language: string): string {
    const text = this.files.get(`${document}.${language}`);
    if (text === undefined) throw new Error(`no ${document} in "${language}"`);
    return text;
  }
}

/** Stands where accounts, and so the terms, are elsewhere. */
export const NO_LEGAL_TEXTS = new LegalTexts(new Map());

/**
 * Reads `terms.<language>.md` and `privacy.<language>.md` of each language.
 * @throws Error for the operator, naming the file that is missing, empty or too long
 */
export function loadLegalTexts(directory: string, { languages }: Pick<Texts, "languages">): LegalTexts {
  const names = LEGAL_DOCUMENTS.flatMap((document) => languages.map(({ code }) => `${document}.${code}`));
  try {
    return new LegalTexts(new Map(names.map((name) => [name, readLegal(join(directory, `${name}.md`))])));
  } catch (error) {
    throw new Error(`TERMS_DIR: ${reasonOf(error)}`, { cause: error });
  }
}

const FILE_MAX = 60_000;

function readLegal(file: string): string {
  const text = readFileSync(file, "utf8").replace(/\r\n?/g, "\n").trim();
  if (text === "") throw new Error(`${file} is empty`);
  if (text.length > FILE_MAX) throw new Error(`${file} has more than ${FILE_MAX} characters`);
  return text;
}

/** Writes a paragraph as HTML: headings are bold, and list items have bullets. */
function paragraphHtml(paragraph: string): string {
  const lines = paragraph.trim().split("\n");
  return lines
    .map((line) => {
      const heading = /^#+\s+(.*)$/.exec(line)?.[1];
      return heading === undefined
        ? escapeHtml(line.replace(/^[-*] /, "• "))
        : `<b>${escapeHtml(heading)}</b>`;
    })
    .join("\n");
}

/** Joins paragraphs to pages. One that fits no page is cut between its words. */
function paged(paragraphs: readonly string[]): string[] {
  const parts = paragraphs.flatMap((paragraph) =>
    paragraph.length <= PAGE_MAX ? [paragraph] : joined(paragraph.split(" "), " "),
  );
  return joined(parts, "\n\n");
}

/** Joins as many as a page has room for. */
function joined(parts: readonly string[], between: string): string[] {
  const pages: string[] = [];
  for (const part of parts) {
    const last = pages.at(-1);
    if (last !== undefined && last.length + between.length + part.length <= PAGE_MAX)
      pages[pages.length - 1] = last + between + part;
    else pages.push(part.slice(0, PAGE_MAX));
  }
  return pages;
}
