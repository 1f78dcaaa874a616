/** Markup, which is not escaped again. */
export class Html {
  constructor(readonly markup: string) {}
}

/** Parts of a page: strings are escaped, lists are joined, undefined is omitted. */
export type HtmlContent = string | number | Html | undefined | readonly HtmlContent[];

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes every value of a template except `Html`. */
export function html(texts: TemplateStringsArray, ...values: readonly HtmlContent[]): Html {
  const pieces = texts.map((text, at) => text + markupOf(values[at]));
  return new Html(pieces.join(""));
}

export function joined(pieces: readonly HtmlContent[], between: HtmlContent): HtmlContent {
  return pieces.flatMap((piece, at) => (at === 0 ? [piece] : [between, piece]));
}

export function prose(text: string): Html {
  return html`${text.split("`").map((part, at) => (at % 2 === 0 ? part : html`<code>${part}</code>`))}`;
}

export function paragraphs(text: string): Html {
  return html`${text.split(/\n\s*\n/).map((paragraph) => html`<p>${prose(paragraph)}</p>`)}`;
}

export function anchor(...names: readonly string[]): string {
  return names
    .join("-")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");
}

function markupOf(value: HtmlContent): string {
  if (value === undefined) return "";
  if (value instanceof Html) return value.markup;
  if (typeof value === "object") return value.map(markupOf).join("");
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
