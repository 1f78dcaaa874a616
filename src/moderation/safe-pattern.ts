import { plainText } from "./normalise.js";

/** Steps that a pattern may take from one place of a text, in the worst case. */
const STEPS_MAX = 4000;
const COUNT_MAX = 200;
const LETTER = "\\p{L}\\p{N}_";
const CLASSES: Readonly<Record<string, string>> = {
  d: "\\p{N}",
  w: `[${LETTER}]`,
  s: "\\s",
  D: "\\P{N}",
  W: `[^${LETTER}]`,
  S: "\\S",
  b: `(?:(?<![${LETTER}])(?=[${LETTER}])|(?<=[${LETTER}])(?![${LETTER}]))`,
};

export class PatternError extends Error {
  override readonly name = "PatternError";
}

export interface SafePattern {
  /** Tells whether a text matches. Lets others work where that takes long. */
  isIn(text: string, pause: () => Promise<void>): Promise<boolean>;
  /** Steps from one place of a text, at most. */
  steps: number;
}

/** Steps of a few ms. */
const SLICE_STEPS = 200_000;

/** A piece of a pattern: its source, the ways to match at a place, and the steps to try them all. */
interface Piece {
  source: string;
  ways: number;
  steps: number;
}

/**
 * Compiles a regular expression that cannot hang: its steps grow with the text alone. It may have letters, `.`,
 * `[…]`, `(…)`, `|`, `\b \d \w \s`, `?` and `{n,m}`; nothing repeats without an end. Letters are folded as texts are.
 * @throws PatternError in words for the operator
 */
export function compileSafePattern(source: string): SafePattern {
  const { source: compiled, steps } = new PatternReader(source).read();
  const anywhere = new RegExp(compiled, "u");
  const here = new RegExp(compiled, "uy");
  const places = Math.max(1, Math.floor(SLICE_STEPS / Math.max(1, steps)));
  return {
    steps,
    async isIn(text, pause) {
      if (text.length <= places) return anywhere.test(text);
      for (let from = 0; from <= text.length; from += places) {
        await pause();
        for (let at = from; at < from + places && at <= text.length; at += 1) {
          here.lastIndex = at;
          if (here.test(text)) return true;
        }
      }
      return false;
    },
  };
}

class PatternReader {
  readonly #letters: readonly string[];
  #at = 0;

  constructor(source: string) {
    this.#letters = [...source];
  }

  read(): Piece {
    const piece = this.#alternatives();
    if (this.#at < this.#letters.length) throw new PatternError(") without its (");
    if (piece.source === "") throw new PatternError("an empty pattern");
    return piece;
  }

  #alternatives(): Piece {
    const pieces = [this.#sequence()];
    while (this.#take("|")) pieces.push(this.#sequence());
    if (pieces.length === 1 && pieces[0]) return pieces[0];
    return bounded({
      source: pieces.map(({ source }) => source).join("|"),
      ways: sum(pieces.map(({ ways }) => ways)),
      steps: sum(pieces.map(({ steps }) => steps)),
    });
  }

  #sequence(): Piece {
    let whole: Piece = { source: "", ways: 1, steps: 0 };
    while (this.#at < this.#letters.length && !this.#is("|") && !this.#is(")")) {
      const next = this.#repeated(this.#atom());
      whole = bounded({
        source: whole.source + next.source,
        ways: whole.ways * next.ways,
        steps: whole.steps + whole.ways * next.steps,
      });
    }
    return whole;
  }

  #repeated(atom: Piece): Piece {
    if (this.#is("*") || this.#is("+"))
      throw new PatternError(`${this.#letters[this.#at]} repeats without an end: write {0,40} or the like`);
    const count = this.#count();
    if (!count) return atom;
    if (this.#is("?") || this.#is("{") || this.#is("*") || this.#is("+"))
      throw new PatternError("two repetitions one after the other");
    const [min, max] = count;
    let [ways, steps, power] = [0, 0, 1];
    for (let times = 0; times <= max; times += 1) {
      if (times >= min) ways += power;
      if (times < max) steps += power * atom.steps;
      power *= atom.ways;
    }
    return bounded({ source: `${atom.source}{${min},${max}}`, ways, steps });
  }

  #count(): [min: number, max: number] | undefined {
    if (this.#take("?")) return [0, 1];
    if (!this.#take("{")) return undefined;
    const end = this.#letters.indexOf("}", this.#at);
    const text = end < 0 ? "" : this.#letters.slice(this.#at, end).join("");
    const [, from, comma, to] = /^(\d{1,3})(?:(,)(\d{1,3}))?$/.exec(text) ?? [];
    const [min, max] = [Number(from), Number(comma === undefined ? from : to)];
    if (from === undefined || min > max || max > COUNT_MAX || max === 0)
      throw new PatternError(`{…} needs one or two numbers up to ${COUNT_MAX}, such as {0,40}`);
    this.#at = end + 1;
    return [min, max];
  }

  #atom(): Piece {
    const letter = this.#next();
    if (letter === "(") return this.#group();
    if (letter === "[") return one(this.#set());
    if (letter === "\\") return one(this.#escape());
    if (letter === ".") return one(".");
    if (/[*+?{}\]^$]/.test(letter))
      throw new PatternError(`${letter} has nothing before it, or is not taken here`);
    return one(literal(letter));
  }

  #group(): Piece {
    if (this.#is("?")) {
      this.#at += 1;
      if (!this.#take(":")) throw new PatternError("of the (?…) only (?:…) is taken");
    }
    const { source, ways, steps } = this.#alternatives();
    if (!this.#take(")")) throw new PatternError("( without its )");
    if (source === "") throw new PatternError("an empty ()");
    return { source: `(?:${source})`, ways, steps };
  }

  #set(): string {
    let set = this.#take("^") ? "[^" : "[";
    let isEmpty = true;
    while (!this.#take("]")) {
      const letter = this.#next();
      if (letter === "[") throw new PatternError("[ within […]: write \\[");
      const isRange = letter === "-" && !isEmpty && !this.#is("]");
      const member = isRange ? "-" : letter === "\\" ? this.#escape() : literal(letter);
      if (member.startsWith("[") || member.startsWith("(")) throw new PatternError("\\w and \\b within […]");
      set += member;
      isEmpty = false;
    }
    if (isEmpty) throw new PatternError("an empty []");
    try {
      new RegExp(`${set}]`, "u");
    } catch {
      throw new PatternError("a range within […] that goes backwards");
    }
    return `${set}]`;
  }

  #escape(): string {
    const letter = this.#next();
    const known = Object.hasOwn(CLASSES, letter) ? CLASSES[letter] : undefined;
    if (known !== undefined) return known;
    if (/[\p{L}\p{N}]/u.test(letter)) throw new PatternError(`\\${letter} is not taken`);
    return literal(letter);
  }

  #next(): string {
    const letter = this.#letters[this.#at];
    if (letter === undefined) throw new PatternError("it ends too early");
    this.#at += 1;
    return letter;
  }

  #is(letter: string): boolean {
    return this.#letters[this.#at] === letter;
  }

  #take(letter: string): boolean {
    if (!this.#is(letter)) return false;
    this.#at += 1;
    return true;
  }
}

function literal(letter: string): string {
  if (letter === " ") return " ";
  const [folded, ...rest] = plainText(letter);
  if (folded === undefined || rest.length > 0)
    throw new PatternError(`${JSON.stringify(letter)} is no single letter once texts are folded`);
  return /[\p{L}\p{N}]/u.test(folded) ? folded : `\\u{${folded.codePointAt(0)?.toString(16)}}`;
}

function one(source: string): Piece {
  return { source, ways: 1, steps: 1 };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function bounded(piece: Piece): Piece {
  if (piece.ways > STEPS_MAX || piece.steps > STEPS_MAX)
    throw new PatternError("too many ways to match: shorten its repetitions or its alternatives");
  return piece;
}
