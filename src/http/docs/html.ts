/** Markup, which is not escaped again. */
export class Html {
  constructor(readonly markup: string) {}
}

/** Parts of a page: strings are escaped, lists are joined, undefined is omitted. */
export type Content = string | number | Html | undefined | readonly Content[];

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes every value of a template except `Html`. */
export function html(texts: TemplateStringsArray, ...values: readonly Content[]): Html {
  const pieces = texts.map((text, at) => text + markupOf(values[at]));
  return new Html(pieces.join(""));
}

export function joined(pieces: readonly Content[], between: Content): Content {
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

function markupOf(value: Content): string {
  if (value === undefined) return "";
  if (value instanceof Html) return value.markup;
  if (typeof value === "object") return value.map(markupOf).join("");
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
