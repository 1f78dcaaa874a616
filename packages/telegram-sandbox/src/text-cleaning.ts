import type { FormattedText } from "./html.js";

/** Characters that are removed: carriage returns, line and direction marks, vertical combining lines. */
const REMOVED = /\r|[\u2028-\u202E]|\u0333|\u033F|\u030A/;
/** A text of nothing else is empty. */
const EMPTY =
  /^[\s\u00A0\u1680\u180E\u2000-\u200F\u202E\u202F\u205F\u2800\u3000\uFEFF\uFFFC\u{E0000}-\u{E007F}]*$/u;

/**
 * A text as the server keeps it (td's `clean_input_string` and `fix_formatted_text`): controls are
 * spaces, some characters are gone, blanks and newlines are trimmed, on the left only up to the first
 * entity.
 * @returns an empty text where nothing that can be seen is left
 */
export function cleanText(given: FormattedText): FormattedText {
  const { text, entities } = trim(withoutOffendingCharacters(given));
  return EMPTY.test(text) ? { text: "", entities: [] } : { text, entities };
}

function withoutOffendingCharacters({ text, entities }: FormattedText): FormattedText {
  let kept = "";
  /** The place of each UTF-16 code unit in the kept text. */
  const places: number[] = [];
  for (const unit of text.split("")) {
    places.push(kept.length);
    if (!REMOVED.test(unit)) kept += isControl(unit) ? " " : unit;
  }
  const place = (offset: number) => places[offset] ?? kept.length;
  const moved = entities.map((entity) => {
    const offset = place(entity.offset);
    return { ...entity, offset, length: place(entity.offset + entity.length) - offset };
  });
  return { text: kept, entities: moved.filter(({ length }) => length > 0) };
}

/** True for controls, which become a space, but not for a newline. */
function isControl(unit: string): boolean {
  return unit < " " && unit !== "\n";
}

function trim({ text, entities }: FormattedText): FormattedText {
  const end = text.length - (/[ \n]+$/.exec(text)?.[0].length ?? 0);
  const first = Math.min(...entities.map(({ offset }) => offset));
  const start = Math.min(/^[ \n]*/.exec(text)?.[0].length ?? 0, first, end);
  const moved = entities.map((entity) => {
    const until = Math.min(end, entity.offset + entity.length);
    return { ...entity, offset: entity.offset - start, length: until - entity.offset };
  });
  return { text: text.slice(start, end), entities: moved.filter(({ length }) => length > 0) };
}
