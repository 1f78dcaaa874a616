import { grooveOf, stepsOf } from "../plan.js";
import type { DrumName } from "../synth/kits.js";
import { chordOf, semitonesOf } from "../theory.js";
import type { Section } from "./form.js";
import { lengthAt, type Sheet, stepsInBar, symbolAt, timeOf } from "./grid.js";
import type { Hit, Note } from "./score.js";

const STRENGTHS: Readonly<Record<string, number>> = { X: 1, x: 0.78, o: 0.4 };
/** What plays in the quiet parts. */
const LIGHT_DRUMS = new Set<string>(["hat", "ride", "shaker", "tomLow"]);
const FILL: readonly [step: number, drum: DrumName, level: number][] = [
  [-4, "snare", 0.7],
  [-3, "snare", 0.5],
  [-2, "tomHigh", 0.8],
  [-1, "tomLow", 0.9],
];
const BASS_CENTRE = 36;

/** The drums of a section, with a fill before a louder one. */
export function drumHits(sheet: Sheet, section: Section, next: Section | undefined): Hit[] {
  const { plan, brief } = sheet;
  if (!plan.hasDrums) return [];
  const groove = grooveOf(plan, section.energy > 0.7);
  const parts = Object.entries(groove) as [DrumName, string][];
  if (parts.length === 0) return [];
  if (brief.audioWeight > 0.85 && !groove.shaker) parts.push(["shaker", "x.o.x.o.x.o.x.o."]);
  const isLight = section.energy < 0.5;
  const rises = next !== undefined && next.energy > section.energy && section.bars >= 2;
  const human = sheet.random.fork(`drums/${section.firstBar}`);
  const hits: Hit[] = [];
  const lastBar = section.firstBar + section.bars - 1;
  const steps = stepsInBar(plan);
  for (let bar = section.firstBar; bar <= lastBar; bar++) {
    const end = rises && bar === lastBar ? steps - 4 : steps;
    for (const [drum, pattern] of parts) {
      if (isLight && !LIGHT_DRUMS.has(drum)) continue;
      const own = stepsOf(pattern, plan.beats);
      for (let step = 0; step < end; step++) {
        const level = STRENGTHS[own[step] ?? ""];
        if (!level) continue;
        const at = timeOf(sheet, bar, step) + human.between(-0.003, 0.003);
        hits.push({ at, drum, level: level * human.between(0.88, 1.06) });
      }
    }
    if (end === steps) continue;
    for (const [step, drum, level] of FILL)
      hits.push({ at: timeOf(sheet, bar, steps + step), drum, level: level * human.between(0.9, 1.05) });
  }
  const isSoft = plan.style.kit === "brushes" || plan.style.kit === "dusty";
  if (section.energy > 0.7 && !isSoft) {
    hits.push({ at: timeOf(sheet, section.firstBar, 0), drum: "crash", level: 0.75 });
  }
  return hits;
}

/** The bass of a section. */
export function bassNotes(sheet: Sheet, section: Section): Note[] {
  const { plan, form } = sheet;
  const { bass } = plan;
  if (!bass || section.energy < 0.4) return [];
  const pattern = plan.beats === 3 ? "1-----------" : plan.style.bassLine;
  const notes: Note[] = [];
  for (let bar = section.firstBar; bar < section.firstBar + section.bars; bar++) {
    for (let step = 0; step < pattern.length; step++) {
      const sign = pattern[step] ?? ".";
      if (sign === "." || sign === "-") continue;
      const length = lengthAt(pattern, step);
      notes.push({
        at: timeOf(sheet, bar, step),
        seconds: (length * form.barSeconds * 0.96) / stepsInBar(plan),
        midi: bassMidi(sheet, section, bar, sign),
        level: step === 0 ? 0.95 : 0.82,
        pan: 0,
        patch: bass,
        channel: "bass",
      });
    }
  }
  return notes;
}

/** The root of a bar's chord where a bass plays it. */
export function rootAt(sheet: Sheet, section: Section, bar: number): number {
  const { tonic, scale } = sheet.plan;
  const [root = 0] = chordOf(scale, symbolAt(sheet, section, bar), "triad");
  const midi = tonic + root;
  return midi + 12 * Math.round((BASS_CENTRE - midi) / 12);
}

function bassMidi(sheet: Sheet, section: Section, bar: number, sign: string): number {
  const { scale } = sheet.plan;
  const root = rootAt(sheet, section, bar);
  if (sign === "8") return root + 12;
  if (sign === "a") {
    const goal = rootAt(sheet, section, bar + 1);
    return goal > root ? goal - 1 : goal + semitonesOf(scale, 1);
  }
  const [first = 0, third = 4, fifth = 7] = chordOf(scale, symbolAt(sheet, section, bar), "triad");
  return root + (sign === "3" ? third - first : sign === "5" ? fifth - first : 0);
}
