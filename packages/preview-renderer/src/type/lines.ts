/** How wide a text is in a font of one pixel. */
export type Measure = (text: string) => number;

/** Lengths in pixels. */
export interface TypeBox {
  width: number;
  height: number;
  /** The largest size of the font. */
  sizeMax: number;
}

export interface SetLines {
  lines: readonly string[];
  /** Size of the font, in pixels. */
  size: number;
}

/** The distance of two lines, in sizes of the font. */
export const LEADING = 1.12;
/** A longer word is broken, since it would make all others tiny. */
const WORD_LENGTH_MAX = 26;
const STEPS = 18;

/**
 * Sets paragraphs as large as their box allows, in lines of about the same width. A word of one or two letters
 * stays with the next one.
 */
export function fitLines(paragraphs: readonly string[], measure: Measure, box: TypeBox): SetLines {
  const words = paragraphs.map(wordsOf);
  let low = 0;
  let high = box.sizeMax;
  for (let step = 0; step < STEPS; step++) {
    const size = step === 0 ? high : (low + high) / 2;
    if (fits(words, measure, box, size)) low = size;
    else high = size;
    if (low === high) break;
  }
  const size = Math.max(low, 1);
  return { lines: words.flatMap((paragraph) => balanced(paragraph, measure, box.width / size)), size };
}

function fits(
  words: readonly string[][],
  measure: Measure,
  { width, height }: TypeBox,
  size: number,
): boolean {
  const lines = words.flatMap((paragraph) => wrapped(paragraph, measure, width / size));
  if (lines.length * LEADING * size > height) return false;
  return lines.every((line) => measure(line) * size <= width);
}

/** Filled one after the other, as many words as each line takes. */
function wrapped(words: readonly string[], measure: Measure, width: number): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && measure(`${last} ${word}`) <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Breaks into as few lines, but of the smallest width that they need. */
function balanced(words: readonly string[], measure: Measure, width: number): string[] {
  const count = wrapped(words, measure, width).length;
  let low = Math.max(0, ...words.map(measure));
  let high = width;
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2;
    if (wrapped(words, measure, middle).length <= count) high = middle;
    else low = middle;
  }
  return wrapped(words, measure, high);
}

function wordsOf(paragraph: string): string[] {
  const pieces = paragraph.split(" ").flatMap((word) => {
    const letters = [...word];
    const count = Math.ceil(letters.length / WORD_LENGTH_MAX);
    const length = Math.ceil(letters.length / Math.max(1, count));
    return Array.from({ length: count }, (_, part) =>
      letters.slice(part * length, (part + 1) * length).join(""),
    );
  });
  const words: string[] = [];
  let short = "";
  for (const piece of pieces) {
    if (/^\p{L}{1,2}$/u.test(piece)) short += `${piece}\u00a0`;
    else {
      words.push(short + piece);
      short = "";
    }
  }
  if (short) words.push(short.trimEnd());
  return words;
}
