import type { Random } from "../../random.js";
import type { Brief } from "../brief.js";
import type { Plan } from "../plan.js";
import { voiced } from "../theory.js";
import { formOf } from "./form.js";
import { chordAt, type Sheet } from "./grid.js";
import { chordNotes, padNotes } from "./harmony.js";
import { leadNotes, sungNotes } from "./melody.js";
import { bassNotes, drumHits, rootAt } from "./rhythm.js";
import type { Hit, Note, Score } from "./score.js";

/** The final fade takes at least so long, in seconds. */
const FADE_SECONDS_MIN = 2.4;

/**
 * Writes the track: an introduction, verses, choruses and an ending that fades.
 * @param seconds the exact length
 */
export function compose(brief: Brief, plan: Plan, random: Random, seconds: number): Score {
  const form = formOf(brief, plan, seconds);
  const sheet: Sheet = { brief, plan, form, random };
  const { sections } = form;
  const end = ending(sheet);
  const notes = sections.flatMap((section) => [
    ...chordNotes(sheet, section),
    ...padNotes(sheet, section),
    ...bassNotes(sheet, section),
    ...leadNotes(sheet, section),
  ]);
  return {
    seconds,
    fadeAt: Math.min(form.endAt, seconds - FADE_SECONDS_MIN),
    notes: [...notes, ...end.notes],
    hits: [
      ...sections.flatMap((section, index) => drumHits(sheet, section, sections[index + 1])),
      ...end.hits,
    ],
    sung: sections.flatMap((section) => sungNotes(sheet, section)),
    kit: plan.style.kit,
    isHighVoice: plan.isHighVoice,
    mix: plan.mix,
  };
}

/** The last chord, which rings to the end. */
function ending(sheet: Sheet): { notes: Note[]; hits: Hit[] } {
  const { form, plan } = sheet;
  const last = form.sections.at(-1);
  if (!last) return { notes: [], hits: [] };
  const at = form.endAt;
  const seconds = form.seconds - at;
  const isGuitar = plan.chords === "driven";
  const notes = voiced(chordAt(sheet, last, form.bars), isGuitar ? 46 : 60).map(
    (midi, index): Note => ({
      ...{ at: at + index * 0.02, seconds, midi, level: 0.75, patch: plan.chords },
      pan: index % 2 === 0 ? -0.5 : 0.5,
      channel: isGuitar ? "guitars" : "chords",
    }),
  );
  const midi = rootAt(sheet, last, form.bars);
  if (plan.bass) notes.push({ at, seconds, midi, level: 0.9, pan: 0, patch: plan.bass, channel: "bass" });
  const hasCrash = plan.hasDrums && Object.keys(plan.style.grooves.chorus).length > 0;
  return {
    notes,
    hits: hasCrash
      ? [
          { at, drum: "crash", level: 0.6 },
          { at, drum: "kick", level: 0.8 },
        ]
      : [],
  };
}
