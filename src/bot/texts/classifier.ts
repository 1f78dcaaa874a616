import { Slices } from "../../platform/slices.js";

/** Slots for what was seen. More make fewer features share one. */
const SLOTS = 2 ** 18;
/** The share of examples that a feature may have where none of them has it. */
const UNSEEN = 4e-5;
const STEM = 4;
const ENDING = 3;

/** Tells how well a text fits each class. Only differences mean something: 0 for what could be either. */
export type Classify<Class extends string> = (text: string) => Record<Class, number>;

/**
 * Learns from examples to which class a text belongs: naive Bayes over its words, their beginnings and endings, and pairs
 * of neighbours, by their hashes.
 */
export async function learn<Class extends string>(
  examples: Readonly<Record<Class, readonly string[]>>,
  wordsOf: (text: string) => readonly string[],
): Promise<Classify<Class>> {
  const pause = new Slices().begin();
  const classes: { name: Class; seen: Uint16Array; of: number }[] = [];
  for (const name of Object.keys(examples) as Class[]) {
    const seen = new Uint16Array(SLOTS);
    for (const text of examples[name]) {
      await pause();
      for (const slot of slotsOf(wordsOf(text))) seen[slot] = (seen[slot] ?? 0) + 1;
    }
    classes.push({ name, seen, of: examples[name].length });
  }
  return (text) => {
    const words = wordsOf(text);
    const slots = new Set(slotsOf(words).filter((slot) => classes.some(({ seen }) => seen[slot])));
    // Neighbours are not independent: a long text would always be sure.
    const weight = 1 / Math.sqrt(Math.max(1, new Set(words).size));
    const fits = classes.map(({ name, seen, of }) => {
      let sum = 0;
      for (const slot of slots) sum += Math.log((seen[slot] ?? 0) / of + UNSEEN);
      return [name, sum * weight];
    });
    return Object.fromEntries(fits) as Record<Class, number>;
  };
}

function slotsOf(words: readonly string[]): number[] {
  const slots: number[] = [];
  let before = "";
  for (const written of words) {
    const word = written.replace(/\p{N}+/u, "0");
    slots.push(slotOf(word), slotOf(`${word.slice(0, STEM)}*`), slotOf(`*${word.slice(-ENDING)}`));
    slots.push(slotOf(`${before} ${word}`));
    before = word;
  }
  slots.push(slotOf(`${before} `));
  return slots;
}

/** FNV-1a, folded. */
function slotOf(feature: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < feature.length; at += 1) hash = Math.imul(hash ^ feature.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) & (SLOTS - 1);
}
