import { hashOf, type Random } from "../random.js";
import type { ParameterValue, RenderRequest } from "../task.js";
import { found, wordsOf } from "../words.js";
import { MOOD_WORDS, STYLE_WORDS, TEMPO_WORDS } from "./lexicon.js";
import type { Hit, Note, Score } from "./mix.js";
import { STYLES, type Style, type StyleName } from "./styles.js";
import type { DrumName, PatchName } from "./synth.js";
import { chordOf, isMinor, type ScaleName, semitonesOf, voiced } from "./theory.js";

type Mood = keyof typeof MOOD_WORDS;

/** What a request asks to hear. */
export interface Brief {
  style: StyleName;
  moods: ReadonlySet<Mood>;
  tempo: keyof typeof TEMPO_WORDS | undefined;
  /** Beats a minute, where the words give a number. */
  bpm: number | undefined;
  hasDrums: boolean;
  /** True when a choir hums the melody of the choruses. */
  hasVoice: boolean;
  lyrics: string | undefined;
  /** What the song is about: its title, description or lyrics. */
  subject: string;
  title: string | undefined;
  durationSec: number | undefined;
}

const BPM = /(\d{2,3})\s*(?:bpm|уд|бпм)/iu;
const NO_DRUMS = /(?:no|without) (?:any )?(?:drums|percussion|beat)|без (?:барабан|ударн|перкусси|бита)/iu;
const NO_VOICE =
  /instrumental|инструментал|(?:no|without) (?:any )?(?:vocals?|voice|singing|lyrics)|без (?:вокала|слов|голоса|пения)/iu;
/** No request has longer texts; what is cut off is not read. */
const TEXT_MAX = 20_000;

/**
 * Reads a song's request in Russian and English. The style is the one that the custom style names, else the preset,
 * else one that the description names, else one that suits its mood.
 */
export function briefOf(request: RenderRequest): Brief {
  const description = request.mode === "lyrics" ? "" : textOf(request.description);
  const custom = textOf(request.custom_style);
  const lyrics = request.mode === "lyrics" ? textOf(request.lyrics) : "";
  const title = textOf(request.title) || undefined;
  const said = `${custom}\n${description}`;
  const words = wordsOf(said);
  const told = found(words, MOOD_WORDS);
  const moods = new Set(told.length > 0 ? told : found(wordsOf(`${title ?? ""}\n${lyrics}`), MOOD_WORDS));
  const bpm = Number(BPM.exec(said)?.[1] ?? 0);
  const preset = request.style_preset_id;
  return {
    style:
      found(wordsOf(custom), STYLE_WORDS)[0] ??
      (typeof preset === "string" && isStyle(preset) ? preset : undefined) ??
      found(wordsOf(description), STYLE_WORDS)[0] ??
      styleOfMood(moods, hashOf(said)),
    moods,
    tempo: found(words, TEMPO_WORDS)[0],
    bpm: bpm >= 40 && bpm <= 220 ? bpm : undefined,
    hasDrums: !NO_DRUMS.test(said),
    hasVoice: request.make_instrumental !== true && !NO_VOICE.test(said),
    lyrics: lyrics || undefined,
    subject: [title, description, lyrics].filter(Boolean).join("\n"),
    title,
    durationSec: typeof request.duration_sec === "number" ? request.duration_sec : undefined,
  };
}

const SUITING: readonly (readonly [Mood, StyleName])[] = [
  ["fierce", "rock"],
  ["grand", "cinematic"],
  ["dreamy", "ambient"],
  ["dark", "cinematic"],
  ["calm", "lofi"],
  ["sad", "folk"],
];

function styleOfMood(moods: ReadonlySet<Mood>, hash: number): StyleName {
  const free: readonly StyleName[] = ["pop", "electronic", "folk", "pop"];
  return SUITING.find(([mood]) => moods.has(mood))?.[1] ?? free[hash % free.length] ?? "pop";
}

function isStyle(name: string): name is StyleName {
  return Object.hasOwn(STYLES, name);
}

function textOf(value: ParameterValue | undefined): string {
  return typeof value === "string" ? value.slice(0, TEXT_MAX) : "";
}

/** Everything that is decided about a track before its notes. */
interface Plan {
  style: Style;
  bpm: number;
  /** MIDI note of the tonic, in the octave below middle C. */
  tonic: number;
  scale: ScaleName;
  /** Chord symbols, a bar each. */
  progressions: { verse: readonly string[]; chorus: readonly string[]; bridge: readonly string[] };
  chords: PatchName;
  lead: PatchName;
  bass: PatchName;
}

/** Decides on tempo, key, chords and instruments. The second track (1) gets others than the first (0). */
function planOf(brief: Brief, random: Random, track: number): Plan {
  const style: Style = STYLES[brief.style];
  const scale = scaleOf(brief, style, random, track);
  const progressions = style.progressions[isMinor(scale) ? "minor" : "major"];
  const start = random.fork("progression").whole(0, 11) + track;
  const progression = (index: number): string[] =>
    (progressions[(start + index) % progressions.length] ?? progressions[0]).split(" ");
  const typical = <T>(list: readonly [T, ...T[]]): T => list[track % list.length] ?? list[0];
  return {
    style,
    chords: typical(style.chords),
    lead: typical(style.lead),
    bass: typical(style.bass),
    bpm: bpmOf(brief, style, random, track),
    tonic: 45 + ((random.fork("key").whole(0, 11) + track * 5) % 12),
    scale,
    progressions: { verse: progression(0), chorus: progression(1), bridge: progression(2) },
  };
}

const TEMPO_FACTORS = { fast: 1.25, slow: 0.76 } as const;
const MOOD_TEMPI: Partial<Record<Mood, number>> = {
  sad: 0.9,
  happy: 1.08,
  calm: 0.88,
  dark: 0.95,
  fierce: 1.1,
};

function bpmOf(brief: Brief, { bpm: [low, high] }: Style, random: Random, track: number): number {
  if (brief.bpm) return brief.bpm;
  // The second track lies half the range away from the first.
  let bpm = low + (high - low) * ((random.fork("tempo").next() + track * 0.5) % 1);
  for (const mood of brief.moods) bpm *= MOOD_TEMPI[mood] ?? 1;
  if (brief.tempo) bpm *= TEMPO_FACTORS[brief.tempo];
  return Math.min(200, Math.max(52, bpm));
}

function scaleOf({ moods }: Brief, { scales }: Style, random: Random, track: number): ScaleName {
  if (moods.has("happy") && !moods.has("sad")) return scales.find((scale) => !isMinor(scale)) ?? "major";
  if (moods.has("sad") || moods.has("dark") || moods.has("fierce")) return scales.find(isMinor) ?? "minor";
  return scales[(random.fork("scale").whole(0, 5) + track) % scales.length] ?? scales[0];
}

type SectionKind = "intro" | "verse" | "chorus" | "bridge" | "outro";

/** A part of the track. */
interface Section {
  kind: SectionKind;
  firstBar: number;
  bars: number;
  /** 0 hardly anything plays, 1 everything does. */
  energy: number;
}

/** Places of all sections in time. */
interface Form {
  sections: readonly Section[];
  bars: number;
  barSeconds: number;
  seconds: number;
  /** The last chord begins here and rings to the end. */
  endAt: number;
}

const ENERGIES: Readonly<Record<SectionKind, number>> = {
  intro: 0.35,
  verse: 0.55,
  chorus: 1,
  bridge: 0.45,
  outro: 0.4,
};
const ORDER: readonly SectionKind[] = ["verse", "chorus", "verse", "chorus", "bridge", "chorus"];
/** The last chord rings at least so long, in seconds. */
const RING_SECONDS_MIN = 1.3;
/** How far a bar may be stretched so that the bars fill the track. */
const STRETCH = 0.04;

/** Divides the seconds of a track into bars and sections of eight, four or fewer bars. */
function formOf({ bpm }: Plan, seconds: number): Form {
  const nominal = (60 / bpm) * 4;
  const room = Math.max(0.2, seconds - RING_SECONDS_MIN);
  const wanted = Math.max(2, Math.round(room / nominal));
  const bars = room / wanted < nominal * (1 - STRETCH) ? Math.max(2, wanted - 1) : wanted;
  const barSeconds = Math.min(room / bars, nominal * (1 + STRETCH));
  const edge = bars >= 24 ? 4 : bars >= 10 ? 2 : bars >= 4 ? 1 : 0;
  const middle = bars - edge * 2;
  const unit = middle >= 24 ? 8 : middle >= 8 ? 4 : Math.max(1, Math.floor(middle / 2));
  const count = Math.max(1, Math.floor(middle / unit));
  const parts: [SectionKind, number][] = [["intro", edge]];
  for (let index = 0; index < count; index++) {
    const isLast = index === count - 1;
    const kind = isLast && count > 1 ? "chorus" : (ORDER[index % ORDER.length] ?? "verse");
    parts.push([kind, isLast ? middle - unit * index : unit]);
  }
  parts.push(["outro", edge]);
  let firstBar = 0;
  const sections: Section[] = [];
  for (const [kind, length] of parts) {
    if (length > 0) sections.push({ kind, firstBar, bars: length, energy: ENERGIES[kind] });
    firstBar += length;
  }
  return { sections, bars, barSeconds, seconds, endAt: bars * barSeconds };
}

/** What a player knows. */
interface Sheet {
  brief: Brief;
  plan: Plan;
  form: Form;
  random: Random;
}

/**
 * Writes a track: an introduction, verses, choruses and an ending that fades.
 * @param seconds the exact length
 * @param track 0 for the first one; the second differs in key, tempo, chords and instruments
 */
export function compose(
  brief: Brief,
  random: Random,
  seconds: number,
  track: number,
): Score & { bpm: number } {
  const plan = planOf(brief, random, track);
  const form = formOf(plan, seconds);
  const sheet: Sheet = { brief, plan, form, random };
  const { sections, endAt } = form;
  const { style, bpm } = plan;
  const notes = sections.flatMap((section) => [
    ...chordNotes(sheet, section),
    ...padNotes(sheet, section),
    ...bassNotes(sheet, section),
    ...leadNotes(sheet, section),
  ]);
  const hits = sections.flatMap((section, index) => drumHits(sheet, section, sections[index + 1]));
  end(sheet, notes, hits);
  const soft = brief.moods.has("calm") || brief.moods.has("sad") ? 0.75 : brief.moods.has("fierce") ? 1.2 : 1;
  return {
    seconds,
    fadeAt: Math.max(0, Math.min(endAt, seconds - 2.4)),
    notes,
    hits,
    kit: style.kit,
    gains: { chords: 0.62, bass: 0.8, pad: 0.34, drums: 0.6 * soft, lead: 0.95 },
    reverb: Math.min(0.8, style.reverb * (brief.moods.has("dreamy") ? 1.6 : 1)),
    reverbSeconds: style.reverbSeconds,
    treble: style.treble,
    bpm,
  };
}

/** Steps (sixteenths) in a bar. */
const STEPS = 16;

/**
 * Seconds from the start of the track to a step of a bar. Where the style swings, the first of two eighths (or
 * sixteenths) is longer than the second, with all that lies inside them.
 */
function timeOf({ plan, form }: Sheet, bar: number, step: number): number {
  const seconds = form.barSeconds / STEPS;
  const { swing, swingStep } = plan.style;
  const inside = step % (swingStep * 2);
  const late = swing * (inside <= swingStep ? inside : swingStep * 2 - inside);
  return bar * form.barSeconds + (step + late) * seconds;
}

/** The symbol of the chord of a bar. */
function symbolAt({ plan, form }: Sheet, section: Section, bar: number): string {
  if (bar >= form.bars) return "1";
  const { verse, chorus, bridge } = plan.progressions;
  const { kind } = section;
  const own = kind === "chorus" ? chorus : kind === "bridge" ? bridge : verse;
  const index = bar - section.firstBar;
  return own[index % own.length] ?? "1";
}

/** The notes of a bar's chord as MIDI, root first, above the tonic. */
function chordAt(sheet: Sheet, section: Section, bar: number): number[] {
  const { tonic, scale, style } = sheet.plan;
  return chordOf(scale, symbolAt(sheet, section, bar), style.chordSize).map((semitones) => tonic + semitones);
}

/** The strokes of a pattern: where they are, what they are, and how many steps they last with the `-` after them. */
function strokesOf(pattern: string, steps: number): { step: number; sign: string; length: number }[] {
  return [...pattern.slice(0, steps)].flatMap((sign, step) => {
    if (sign === "." || sign === "-") return [];
    let length = 1;
    while (pattern[step + length] === "-") length++;
    return [{ step, sign, length }];
  });
}

const barsOf = ({ firstBar, bars }: Section): number[] =>
  Array.from({ length: bars }, (_, bar) => firstBar + bar);

const STRENGTHS: Readonly<Record<string, number>> = { X: 0.95, x: 0.78, o: 0.5 };
const CHORD_CENTRE = 60;
const GUITAR_CENTRE = 42;
const BASS_CENTRE = 36;

/** The chords of a section, as the style plays them. */
function chordNotes(sheet: Sheet, section: Section): Note[] {
  const { plan, form } = sheet;
  const [own] = section.energy > 0.7 ? plan.style.chorus : plan.style.verse;
  const [kind, steps = ""] = own.split(" ");
  const notes: Note[] = [];
  for (const bar of barsOf(section)) {
    const chord = chordAt(sheet, section, bar);
    for (const { step, sign, length } of strokesOf(steps, STEPS)) {
      const at = timeOf(sheet, bar, step);
      const level = (STRENGTHS[sign] ?? 0) * (0.62 + 0.38 * section.energy);
      const seconds = (length * form.barSeconds) / STEPS;
      if (plan.chords === "driven") {
        const isMuted = kind === "muted" && sign === "x";
        notes.push(...guitars(chord, isMuted, at, seconds, level));
        continue;
      }
      const common = { channel: "chords", patch: plan.chords } as const;
      if (kind === "arpeggio") {
        const midi = rung(voiced(chord, CHORD_CENTRE - 3), Math.floor(step / 2));
        const pan = step % 4 < 2 ? -0.25 : 0.25;
        notes.push({ ...common, at, seconds: seconds * 2.5, midis: [midi], level: level * 0.95, pan });
        continue;
      }
      const midis = voiced(chord, CHORD_CENTRE);
      const delay = kind === "strum" ? 0.014 : 0.002;
      for (const [index, midi] of midis.entries()) {
        const pan = -0.3 + (0.6 * index) / Math.max(1, midis.length - 1);
        const share = Math.min(1, level * 0.9 * Math.sqrt(3 / midis.length));
        notes.push({ ...common, at: at + index * delay, seconds, midis: [midi], level: share, pan });
      }
    }
  }
  return notes;
}

/** Up the notes of a chord and their octaves, and down again. */
function rung(low: readonly number[], place: number): number {
  const ladder = [...low, ...low.slice(0, 2).map((midi) => midi + 12)];
  const turn = (ladder.length - 1) * 2;
  const at = place % turn;
  return ladder[at < ladder.length ? at : turn - at] ?? CHORD_CENTRE;
}

/** Two distorted guitars, left and right, never quite together. */
function guitars(
  [first = GUITAR_CENTRE]: readonly number[],
  isMuted: boolean,
  at: number,
  seconds: number,
  level: number,
): Note[] {
  const root = first + 12 * Math.round((GUITAR_CENTRE - first) / 12);
  const midis = isMuted ? [root, root + 7] : [root, root + 7, root + 12];
  const patch = isMuted ? "muted" : "driven";
  return [-0.85, 0.85].map((pan, side): Note => {
    const own = { at: at + side * 0.011, seconds: seconds * 0.94, level: level * 0.8 };
    return { ...own, midis, pan, patch, channel: "chords" };
  });
}

/** Long chords under everything. */
function padNotes(sheet: Sheet, section: Section): Note[] {
  const { plan, form } = sheet;
  const { pad } = plan.style;
  if (!pad || section.energy < 0.5) return [];
  return barsOf(section).flatMap((bar) => {
    const chord = voiced(chordAt(sheet, section, bar).slice(0, 4), CHORD_CENTRE + 5);
    const [at, seconds] = [timeOf(sheet, bar, 0), form.barSeconds * 0.98];
    return chord.map((midi, index): Note => {
      const pan = index % 2 === 0 ? -0.4 : 0.4;
      return { at, seconds, midis: [midi], level: 0.7, pan, patch: pad, channel: "pad" };
    });
  });
}

/** What plays in the quiet parts. */
const LIGHT_DRUMS: ReadonlySet<string> = new Set(["hat", "ride", "shaker", "tomLow"]);
const FILL: readonly (readonly [step: number, drum: DrumName, level: number])[] = [
  [-4, "snare", 0.7],
  [-3, "snare", 0.5],
  [-2, "tomHigh", 0.8],
  [-1, "tomLow", 0.9],
];

/** The drums of a section, with a fill before a louder one. */
function drumHits(sheet: Sheet, section: Section, next: Section | undefined): Hit[] {
  const { plan, brief } = sheet;
  const { style } = plan;
  const [, own] = section.energy > 0.7 ? style.chorus : style.verse;
  if (!brief.hasDrums || own === "") return [];
  const parts = [...own.matchAll(/(\w+) (\S+)/g)].map(
    ([, drum = "", strokes = ""]) => [drum as DrumName, strokes] as const,
  );
  const isLight = section.energy < 0.5;
  const rises = next !== undefined && next.energy > section.energy && section.bars >= 2;
  const human = sheet.random.fork(`drums/${section.firstBar}`);
  const hits: Hit[] = [];
  for (const bar of barsOf(section)) {
    const isFill = rises && bar === section.firstBar + section.bars - 1;
    for (const [drum, pattern] of parts) {
      if (isLight && !LIGHT_DRUMS.has(drum)) continue;
      for (const { step, sign } of strokesOf(pattern, isFill ? STEPS - 4 : STEPS)) {
        const level = (sign === "o" ? 0.4 : (STRENGTHS[sign] ?? 0)) * human.between(0.88, 1.06);
        hits.push({ at: timeOf(sheet, bar, step) + human.between(-0.003, 0.003), drum, level });
      }
    }
    if (!isFill) continue;
    for (const [step, drum, level] of FILL)
      hits.push({ at: timeOf(sheet, bar, STEPS + step), drum, level: level * human.between(0.9, 1.05) });
  }
  const isSoft = style.kit === "brushes" || style.kit === "dusty";
  if (section.energy > 0.7 && !isSoft) {
    hits.push({ at: timeOf(sheet, section.firstBar, 0), drum: "crash", level: 0.75 });
  }
  return hits;
}

/** The bass of a section. */
function bassNotes(sheet: Sheet, section: Section): Note[] {
  const { plan, form } = sheet;
  const { bass } = plan;
  if (section.energy < 0.4) return [];
  return barsOf(section).flatMap((bar) =>
    strokesOf(plan.style.bassLine, STEPS).map(({ step, sign, length }): Note => {
      const seconds = (length * form.barSeconds * 0.96) / STEPS;
      const midis = [bassMidi(sheet, section, bar, sign)];
      const level = step === 0 ? 0.95 : 0.82;
      return { at: timeOf(sheet, bar, step), seconds, midis, level, pan: 0, patch: bass, channel: "bass" };
    }),
  );
}

/** The root of a bar's chord where a bass plays it. */
function rootAt(sheet: Sheet, section: Section, bar: number): number {
  const midi = chordAt(sheet, section, bar)[0] ?? BASS_CENTRE;
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

const PHRASE_BARS = 2;
/** A phrase, the same again, another one, and the first to end. */
const LETTERS = ["A", "A", "B", "A"] as const;
/** How far from its middle a melody goes, in semitones. */
const REACH = 9;

/** The melody of a section: phrases of two bars that come back. Voices hum it in the choruses. */
function leadNotes(sheet: Sheet, section: Section): Note[] {
  const { plan, brief } = sheet;
  const notes: Note[] = [];
  const isSoft = section.kind === "intro" || section.kind === "outro";
  const isHummed = brief.hasVoice && section.kind === "chorus";
  for (let bar = 0; bar < section.bars; bar += PHRASE_BARS) {
    const bars = Math.min(PHRASE_BARS, section.bars - bar);
    const index = bar / PHRASE_BARS;
    const letter = LETTERS[index % LETTERS.length] ?? "A";
    const places = placesOf(sheet, `${section.kind}/${letter}`, bars, isSoft ? 0.6 : 1);
    const pitches = pitchesOf(sheet, section, index, places);
    for (const [n, step] of places.entries()) {
      const length = Math.min(8, (places[n + 1] ?? bars * STEPS - 1) - step);
      const at = timeOf(sheet, section.firstBar + bar, step);
      const seconds = (timeOf(sheet, section.firstBar + bar, step + length) - at) * 0.92;
      const midi = pitches[n] ?? plan.style.register;
      const level = (step % 4 === 0 ? 0.9 : 0.74) * (isSoft ? 0.8 : 1);
      notes.push({ at, seconds, midis: [midi], level, pan: 0.12, patch: plan.lead, channel: "lead" });
      if (!isHummed || length < 2) continue;
      const hum = { at, seconds, level: level * 0.42, pan: -0.2, channel: "lead" } as const;
      notes.push({ ...hum, midis: [midi > 66 ? midi - 12 : midi], patch: "choir" });
    }
  }
  return notes;
}

/** Steps at which notes begin. */
function placesOf({ plan, random }: Sheet, name: string, bars: number, share: number): number[] {
  const dice = random.fork(`rhythm/${name}`);
  const steps = bars * STEPS;
  const each = (plan.style.density * share) / (STEPS / 2);
  return Array.from({ length: steps }, (_, step) => step).filter((step) => {
    const chance = step % 2 === 0 ? each * (step % 4 === 0 ? 1.4 : 0.9) : Math.max(0, each - 0.7) * 0.6;
    const roll = dice.next();
    // The end of a phrase is for breath.
    return step < steps - 3 && (step === 0 || roll < chance);
  });
}

/** Pitches for the steps: steps of the scale, chord notes where the weight is. */
function pitchesOf(sheet: Sheet, section: Section, index: number, places: readonly number[]): number[] {
  const { plan, random } = sheet;
  const { tonic, scale } = plan;
  const centre = plan.style.register;
  const letter = LETTERS[index % LETTERS.length] ?? "A";
  const dice = random.fork(`contour/${section.kind}/${letter}`);
  const base = tonic + Math.round((centre - tonic) / 12) * 12;
  let degree = dice.whole(-1, 4);
  return places.map((step, n) => {
    const bar = section.firstBar + index * PHRASE_BARS + Math.floor(step / STEPS);
    degree += stepFrom(dice);
    let midi = base + semitonesOf(scale, degree);
    if (Math.abs(midi - centre) > REACH) {
      degree += midi > centre ? -4 : 4;
      midi = base + semitonesOf(scale, degree);
    }
    const isLast = n === places.length - 1;
    return isLast || step % 8 === 0 ? nearest(midi, chordAt(sheet, section, bar)) : midi;
  });
}

/** Mostly a step, sometimes a third or the same note, now and then a leap. */
function stepFrom(dice: Random): number {
  const roll = dice.next();
  const way = dice.chance(0.5) ? 1 : -1;
  if (roll < 0.14) return 0;
  if (roll < 0.68) return way;
  if (roll < 0.79) return way * 2;
  return way * dice.whole(3, 5);
}

/** The chord's note next to `midi`, in any octave. */
function nearest(midi: number, chord: readonly number[]): number {
  const near = chord.map((note) => note + 12 * Math.round((midi - note) / 12));
  return near.reduce(
    (best, note) => (Math.abs(note - midi) < Math.abs(best - midi) ? note : best),
    near[0] ?? midi,
  );
}

/** Adds the last chord, which rings to the end. */
function end(sheet: Sheet, notes: Note[], hits: Hit[]): void {
  const { form, plan, brief } = sheet;
  const last = form.sections.at(-1);
  if (!last) return;
  const at = form.endAt;
  const seconds = form.seconds - at;
  const chord = chordAt(sheet, last, form.bars);
  if (plan.chords === "driven") notes.push(...guitars(chord, false, at, seconds, 0.9));
  else {
    for (const [index, midi] of voiced(chord, CHORD_CENTRE).entries()) {
      const own = {
        at: at + index * 0.02,
        seconds,
        midis: [midi],
        level: 0.75,
        pan: index % 2 === 0 ? -0.5 : 0.5,
      };
      notes.push({ ...own, patch: plan.chords, channel: "chords" });
    }
  }
  const midis = [rootAt(sheet, last, form.bars)];
  notes.push({ at, seconds, midis, level: 0.9, pan: 0, patch: plan.bass, channel: "bass" });
  if (!brief.hasDrums || plan.style.chorus[1] === "") return;
  hits.push({ at, drum: "crash", level: 0.6 }, { at, drum: "kick", level: 0.8 });
}
