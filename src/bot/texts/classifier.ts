import { Slices } from "../../platform/slices.js";

/** Slots for what was seen. More make fewer features share one. */
const SLOTS = 2 ** 19;
/** The share of examples that a feature may have where none of them has it. */
const UNSEEN = 4e-5;
/** Examples of so few words are known for what they are, whatever longer ones have the same words. */
const KNOWN_WORDS_MAX = 4;
const KNOWN = 10;

/** Counts of few slots among many: the sorted slots that have one, and their counts. */
class SparseCounts {
  readonly #slots: Uint32Array;
  readonly #counts: Uint16Array;

  constructor(counts: Uint16Array) {
    // Plain loops: anything else holds the event loop for 20 ms.
    let size = 0;
    for (let slot = 0; slot < counts.length; slot += 1) if (counts[slot]) size += 1;
    this.#slots = new Uint32Array(size);
    this.#counts = new Uint16Array(size);
    let at = 0;
    for (let slot = 0; slot < counts.length; slot += 1) {
      const count = counts[slot] ?? 0;
      if (count === 0) continue;
      this.#slots[at] = slot;
      this.#counts[at] = count;
      at += 1;
    }
  }

  of(slot: number): number {
    let [from, to] = [0, this.#slots.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#slots[middle] ?? 0) < slot) from = middle + 1;
      else to = middle;
    }
    return this.#slots[from] === slot ? (this.#counts[from] ?? 0) : 0;
  }
}

/** Tells how well a text fits each class. Only differences mean something: 0 for what could be either. */
export type Classify<Class extends string> = (text: string) => Record<Class, number>;

type Examples<Class extends string> = Readonly<Record<Class, () => readonly string[]>>;
type WordsOf = (text: string) => readonly string[];

/** Counts features in a large array, of which nothing remains. */
async function countIn<Class extends string>(examples: Examples<Class>, wordsOf: WordsOf) {
  const pause = new Slices().begin();
  const classes: { name: Class; seen: SparseCounts; of: number }[] = [];
  const known = new Map<string, Class>();
  const counts = new Uint16Array(SLOTS);
  for (const name of Object.keys(examples) as Class[]) {
    counts.fill(0);
    let of = 0;
    for (const text of examples[name]()) {
      await pause();
      const words = wordsOf(text);
      if (words.length <= KNOWN_WORDS_MAX) known.set(words.join(" "), name);
      // A list of single words would make those of sentences rarer than they are.
      if (words.length === 1) continue;
      of += 1;
      eachSlot(words, (slot) => {
        counts[slot] = (counts[slot] ?? 0) + 1;
      });
    }
    classes.push({ name, seen: new SparseCounts(counts), of });
  }
  return { classes, known };
}

/**
 * Learns from examples to which class a text belongs: naive Bayes over its words, their beginnings and endings, and pairs
 * of neighbours, by their hashes. A short example is itself of its class.
 */
export async function learn<Class extends string>(
  examples: Examples<Class>,
  wordsOf: WordsOf,
): Promise<Classify<Class>> {
  const { classes, known } = await countIn(examples, wordsOf);
  const classify: Classify<Class> = (text) => {
    const words = wordsOf(text);
    const itself = words.length <= KNOWN_WORDS_MAX ? known.get(words.join(" ")) : undefined;
    const slots = new Set<number>();
    eachSlot(words, (slot) => classes.some(({ seen }) => seen.of(slot) > 0) && slots.add(slot));
    // Neighbours are not independent: a long text would always be sure.
    const weight = 1 / Math.sqrt(Math.max(1, new Set(words).size));
    const fits = classes.map(({ name, seen, of }) => {
      let sum = 0;
      for (const slot of slots) sum += Math.log(seen.of(slot) / of + UNSEEN);
      return [name, sum * weight + (itself === name ? KNOWN : 0)];
    });
    return Object.fromEntries(fits) as Record<Class, number>;
  };
  // A text is asked about several times while it is read.
  let last: { text: string; fits: Record<Class, number> } | undefined;
  return (text) => {
    if (last?.text !== text) last = { text, fits: classify(text) };
    return last.fits;
  };
}

/** Calls back with the slot of each feature: the words, their beginnings and endings, and pairs of neighbours. */
function eachSlot(words: readonly string[], visit: (slot: number) => void): void {
  let before = PAIR;
  for (const written of words) {
    const word = written.replace(/\d+/, "0");
    const { length } = word;
    const whole = hashOf(word, WORD, 0, length);
    visit(slotOf(whole));
    visit(slotOf(hashOf(word, BEGINNING, 0, Math.min(BEGINNING_LENGTH, length))));
    visit(slotOf(hashOf(word, ENDING, Math.max(0, length - ENDING_LENGTH), length)));
    visit(slotOf(mixed(before, whole)));
    before = mixed(PAIR, whole);
  }
  visit(slotOf(mixed(before, PAIR)));
}

/** FNV-1a of a part of a word. Kinds of features begin with different seeds. */
function hashOf(word: string, seed: number, from: number, to: number): number {
  let hash = seed;
  for (let at = from; at < to; at += 1) hash = mixed(hash, word.charCodeAt(at));
  return hash;
}
const [WORD, BEGINNING, ENDING, PAIR] = [0x811c9dc5, 0x1b873593, 0x2c1b3c6d, 0x4cf5ad43];
const BEGINNING_LENGTH = 4;
const ENDING_LENGTH = 3;

function mixed(hash: number, value: number): number {
  return Math.imul(hash ^ value, 0x01000193);
}

function slotOf(hash: number): number {
  const spread = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (spread ^ (spread >>> 13)) & (SLOTS - 1);
}
