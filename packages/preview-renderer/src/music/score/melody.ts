import type { Random } from "../../random.js";
import { isInScale, semitonesOf } from "../theory.js";
import type { Line, Section } from "./form.js";
import { chordAt, type Sheet, stepsInBar, timeOf } from "./grid.js";
import type { Note, Sung } from "./score.js";

/** A note of a melody before its pitch: steps from the start of its phrase. */
interface Slot {
  step: number;
  length: number;
}

const PHRASE_BARS = 2;
/** A phrase, the same again, another one, and the first to end. */
const LETTERS = ["A", "A", "B", "A"] as const;
const HIGH_VOICE = 67;
const LOW_VOICE = 56;
/** How far from its middle a melody goes, in semitones. */
const REACH = 9;

/** The lead of a section: phrases of two bars that come back. Silent where somebody sings. */
export function leadNotes(sheet: Sheet, section: Section): Note[] {
  const { plan } = sheet;
  const notes: Note[] = [];
  const isSoft = section.kind === "intro" || section.kind === "outro";
  for (let bar = 0; bar < section.bars; bar += PHRASE_BARS) {
    const isSung = section.lines.some((line) => line.bar < bar + PHRASE_BARS && line.bar + line.bars > bar);
    if (isSung) continue;
    const bars = Math.min(PHRASE_BARS, section.bars - bar);
    const index = bar / PHRASE_BARS;
    const slots = slotsOf(sheet, section, index, bars, isSoft ? 0.6 : 1);
    const pitches = pitchesOf(sheet, section, index, bar, slots, plan.style.register);
    for (const [n, slot] of slots.entries()) {
      const at = timeOf(sheet, section.firstBar + bar, slot.step);
      const seconds = timeOf(sheet, section.firstBar + bar, slot.step + slot.length) - at;
      const isBeat = slot.step % 4 === 0;
      notes.push({
        at,
        seconds: seconds * 0.92,
        midi: pitches[n] ?? plan.style.register,
        level: (isBeat ? 0.9 : 0.74) * (isSoft ? 0.8 : 1),
        pan: 0.12,
        patch: plan.lead,
        channel: "lead",
      });
    }
  }
  return notes;
}

/** The sung lines of a section. */
export function sungNotes(sheet: Sheet, section: Section): Sung[] {
  const { plan } = sheet;
  const centre = plan.isHighVoice ? HIGH_VOICE : LOW_VOICE;
  return section.lines.flatMap((line, index) => {
    const slots = sungSlots(sheet, line);
    const pitches = pitchesOf(
      sheet,
      section,
      index,
      line.bar,
      slots,
      centre + (section.energy > 0.7 ? 3 : 0),
    );
    return line.syllables.map((syllable, n): Sung => {
      const slot = slots[n] ?? { step: 0, length: 1 };
      const at = timeOf(sheet, section.firstBar + line.bar, slot.step);
      const end = timeOf(sheet, section.firstBar + line.bar, slot.step + slot.length);
      const breath = syllable.endsWord ? 0.9 : 0.985;
      return { at, seconds: (end - at) * breath, midi: pitches[n] ?? centre, level: 0.85, syllable };
    });
  });
}

/** Spreads the syllables of a line over its bars; the last one is held, and some breath is left. */
function sungSlots({ plan }: Sheet, { syllables, bars }: Line): Slot[] {
  const steps = bars * stepsInBar(plan) - 2;
  const count = syllables.length;
  const places = placesOf(count, steps);
  return places.map((step, n) => {
    const next = places[n + 1];
    return { step, length: next === undefined ? Math.max(1, Math.min(8, steps - step)) : next - step };
  });
}

/** Steps at which so many syllables begin. */
function placesOf(count: number, steps: number): number[] {
  // More syllables than sixteenths run evenly through the line.
  if (count > steps) return Array.from({ length: count }, (_, n) => (n * steps) / count);
  const grid = count * 2 <= steps ? 2 : 1;
  // Few syllables do not crawl: at most one a beat.
  const spread = Math.min(4, Math.max(grid, Math.floor(steps / (count + 0.5) / grid) * grid));
  return Array.from({ length: count }, (_, n) => {
    const even = count * spread <= steps ? n * spread : (n * steps) / count;
    return Math.floor(even / grid) * grid;
  });
}

/** How many notes there are, as the weirdness says: 0.4 to 1.3 times what the style has. */
function slotsOf(
  { brief, plan, random }: Sheet,
  { kind }: Section,
  index: number,
  bars: number,
  share: number,
): Slot[] {
  const letter = LETTERS[index % LETTERS.length] ?? "A";
  const dice = random.fork(`rhythm/${kind}/${letter}`);
  const density = plan.style.density * (0.4 + 0.92 * brief.weirdness) * share;
  const steps = bars * stepsInBar(plan);
  const each = density / (stepsInBar(plan) / 2);
  const places: number[] = [];
  for (let step = 0; step < steps; step++) {
    const isEighth = step % 2 === 0;
    const chance = isEighth ? each * (step % 4 === 0 ? 1.4 : 0.9) : Math.max(0, each - 0.7) * 0.6;
    const roll = dice.next();
    // The end of a phrase is for breath.
    if (step < steps - 3 && (step === 0 || roll < chance)) places.push(step);
  }
  return places.map((step, n) => ({ step, length: Math.min(8, (places[n + 1] ?? steps - 1) - step) }));
}

/** Pitches for the slots: steps of the scale, chord notes where the weight is, surprises as wanted. */
function pitchesOf(
  sheet: Sheet,
  section: Section,
  index: number,
  firstBar: number,
  slots: readonly Slot[],
  centre: number,
): number[] {
  const { brief, plan, random } = sheet;
  const { tonic, scale } = plan;
  const letter = LETTERS[index % LETTERS.length] ?? "A";
  const dice = random.fork(`contour/${section.kind}/${letter}`);
  const surprise = random.fork(`surprise/${section.kind}/${index}`);
  const surprises = Math.max(0, brief.weirdness - 0.55) * 0.55;
  const octave = Math.round((centre - tonic) / 12) * 12;
  let degree = dice.whole(-1, 4);
  return slots.map((slot, n) => {
    const bar = section.firstBar + firstBar + Math.floor(slot.step / stepsInBar(plan));
    degree += stepFrom(dice, brief.weirdness);
    let midi = tonic + octave + semitonesOf(scale, degree);
    if (Math.abs(midi - centre) > REACH) {
      degree += midi > centre ? -4 : 4;
      midi = tonic + octave + semitonesOf(scale, degree);
    }
    const isLast = n === slots.length - 1;
    if (isLast || slot.step % 8 === 0) midi = nearest(midi, chordAt(sheet, section, bar));
    const [isOdd, isUp] = [surprise.chance(surprises), surprise.chance(0.5)];
    if (!isOdd || isLast) return midi;
    const other = midi + (isUp ? 1 : -1);
    return isInScale(scale, tonic, other) ? midi + (isUp ? -1 : 1) : other;
  });
}

/** Mostly a step, sometimes a third or the same note, now and then a leap. */
function stepFrom(dice: Random, weirdness: number): number {
  const roll = dice.next();
  const way = dice.chance(0.5) ? 1 : -1;
  if (roll < 0.14) return 0;
  if (roll < 0.68) return way;
  if (roll < 0.92 - 0.2 * weirdness) return way * 2;
  return way * dice.whole(3, 5);
}

/** The chord's note next to `midi`, in any octave. */
function nearest(midi: number, chord: readonly number[]): number {
  let best = midi;
  let distance = Number.POSITIVE_INFINITY;
  for (const note of chord) {
    const near = note + 12 * Math.round((midi - note) / 12);
    if (Math.abs(near - midi) >= distance) continue;
    distance = Math.abs(near - midi);
    best = near;
  }
  return best;
}
