import { compOf, stepsOf } from "../plan.js";
import type { PatchName } from "../synth/patches.js";
import { voiced } from "../theory.js";
import type { Section } from "./form.js";
import { chordAt, lengthAt, type Sheet, stepsInBar, timeOf } from "./grid.js";
import type { Note } from "./score.js";

/** Seconds between two strings of a strummed chord. */
const STRUM_SECONDS = 0.014;
const CHORD_CENTRE = 60;
const GUITAR_CENTRE = 46;
const SIDES = [-0.85, 0.85] as const;

/** The chords of a section, as the style plays them. */
export function chordNotes(sheet: Sheet, section: Section): Note[] {
  const { plan, brief } = sheet;
  // A light accompaniment keeps to the verse's figure.
  const isFull = section.energy > 0.7 && brief.audioWeight >= 0.2;
  const comp = compOf(plan, isFull);
  const pattern = stepsOf(comp.steps, plan.beats);
  const notes: Note[] = [];
  for (let bar = section.firstBar; bar < section.firstBar + section.bars; bar++) {
    const chord = chordAt(sheet, section, bar);
    for (let step = 0; step < pattern.length; step++) {
      const stroke = pattern[step] ?? ".";
      if (stroke === "-" || stroke === ".") continue;
      const start = timeOf(sheet, bar, step);
      const level = (stroke === "X" ? 0.95 : stroke === "x" ? 0.78 : 0.5) * (0.62 + 0.38 * section.energy);
      const seconds = (lengthAt(pattern, step) * sheet.form.barSeconds) / stepsInBar(plan);
      if (plan.chords === "driven") {
        notes.push(...riff(chord, comp.kind === "muted" && stroke === "x", start, seconds, level));
      } else if (comp.kind === "arpeggio") {
        notes.push(arpeggioNote(plan.chords, chord, step, start, seconds * 2.5, level));
      } else {
        const strum = comp.kind === "strum" ? STRUM_SECONDS : 0.002;
        notes.push(...block(plan.chords, chord, start, seconds, level, strum));
      }
    }
  }
  return notes;
}

/** Two distorted guitars, left and right, never quite together. */
function riff(
  chord: readonly number[],
  isMuted: boolean,
  at: number,
  seconds: number,
  level: number,
): Note[] {
  const patch: PatchName = isMuted ? "muted" : "driven";
  const strings = lowered(chord).slice(0, isMuted ? 2 : 3);
  return SIDES.flatMap((pan, side) =>
    strings.map((midi): Note => {
      const late = side * 0.011;
      return {
        at: at + late,
        seconds: seconds * 0.94,
        midi,
        level: level * 0.8,
        pan,
        patch,
        channel: "guitars",
      };
    }),
  );
}

/** Root, fifth and octave, the root as low as a guitar goes. */
function lowered(chord: readonly number[]): number[] {
  const [first = GUITAR_CENTRE] = chord;
  const root = first + 12 * Math.round((GUITAR_CENTRE - 4 - first) / 12);
  return [root, root + 7, root + 12];
}

function arpeggioNote(
  patch: PatchName,
  chord: readonly number[],
  step: number,
  at: number,
  seconds: number,
  level: number,
): Note {
  const low = voiced(chord, CHORD_CENTRE - 3);
  const ladder = [...low, ...low.slice(0, 2).map((midi) => midi + 12)];
  // Up and down again.
  const turn = (ladder.length - 1) * 2;
  const place = Math.floor(step / 2) % turn;
  const midi = ladder[place < ladder.length ? place : turn - place] ?? CHORD_CENTRE;
  const pan = step % 4 < 2 ? -0.25 : 0.25;
  return { at, seconds, midi, level: level * 0.95, pan, patch, channel: "chords" };
}

function block(
  patch: PatchName,
  chord: readonly number[],
  at: number,
  seconds: number,
  level: number,
  strum: number,
): Note[] {
  const notes = voiced(chord, CHORD_CENTRE);
  const share = level * Math.sqrt(3 / notes.length);
  return notes.map(
    (midi, index): Note => ({
      at: at + index * strum,
      seconds,
      midi,
      level: Math.min(1, share * 0.9),
      pan: -0.3 + (0.6 * index) / Math.max(1, notes.length - 1),
      patch,
      channel: "chords",
    }),
  );
}

/** Long chords behind everything; an octave higher too where the accompaniment is to be rich. */
export function padNotes(sheet: Sheet, section: Section): Note[] {
  const { plan, form, brief } = sheet;
  const { pad } = plan;
  if (!pad || section.energy < 0.5) return [];
  const notes: Note[] = [];
  for (let bar = section.firstBar; bar < section.firstBar + section.bars; bar++) {
    const chord = voiced(chordAt(sheet, section, bar).slice(0, 4), CHORD_CENTRE + 5);
    const high = brief.audioWeight > 0.85 && section.energy > 0.7 ? [(chord[0] ?? 60) + 24] : [];
    for (const [index, midi] of [...chord, ...high].entries()) {
      notes.push({
        at: timeOf(sheet, bar, 0),
        seconds: form.barSeconds * 0.98,
        midi,
        level: 0.7,
        pan: index % 2 === 0 ? -0.4 : 0.4,
        patch: pad,
        channel: "pad",
      });
    }
  }
  return notes;
}
