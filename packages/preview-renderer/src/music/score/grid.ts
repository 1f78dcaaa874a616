import type { Random } from "../../random.js";
import type { Brief } from "../brief.js";
import type { Plan } from "../plan.js";
import { chordOf } from "../theory.js";
import type { Form, Section } from "./form.js";

/** What a player knows. */
export interface Sheet {
  brief: Brief;
  plan: Plan;
  form: Form;
  random: Random;
}

/** Steps (sixteenths) in a bar. */
export function stepsInBar({ beats }: Plan): number {
  return beats * 4;
}

/**
 * Seconds from the start of the track to a step of a bar. Where the style swings, the first of two
 * eighths (or sixteenths) is longer than the second, with all that lies inside them.
 */
export function timeOf({ plan, form }: Sheet, bar: number, step: number): number {
  const seconds = form.barSeconds / stepsInBar(plan);
  const { swing, swingStep } = plan.style;
  const inside = step % (swingStep * 2);
  const late = swing * (inside <= swingStep ? inside : swingStep * 2 - inside);
  return bar * form.barSeconds + (step + late) * seconds;
}

/** The symbol of the chord of a bar. */
export function symbolAt({ plan, form, brief }: Sheet, section: Section, bar: number): string {
  if (bar >= form.bars) return "1";
  const { verse, chorus, bridge } = plan.progressions;
  const { kind } = section;
  const own = kind === "chorus" || kind === "solo" ? chorus : kind === "bridge" ? bridge : verse;
  const index = bar - section.firstBar;
  const symbol = own[index % own.length] ?? "1";
  // A chord from afar, once in a while, where surprises are wanted.
  const isSurprise = brief.weirdness > 0.75 && index % 4 === 2;
  return isSurprise ? `b${symbol.replace(/\D/g, "")}` : symbol;
}

/** The notes of a bar's chord as MIDI, root first, above the tonic. */
export function chordAt(sheet: Sheet, section: Section, bar: number): number[] {
  const { tonic, scale, style } = sheet.plan;
  return chordOf(scale, symbolAt(sheet, section, bar), style.chordSize).map((semitones) => tonic + semitones);
}

/** How many steps a stroke lasts: itself and the `-` behind it. */
export function lengthAt(pattern: string, step: number): number {
  let length = 1;
  while (pattern[step + length] === "-") length++;
  return length;
}
