import type { Random } from "../random.js";
import type { Brief } from "./brief.js";
import type { Mix } from "./score/score.js";
import { type Comp, type Groove, NEUTRAL, type Style } from "./styles/style.js";
import { styleOf } from "./styles/styles.js";
import type { PatchName } from "./synth/patches.js";
import { isMinor, type ScaleName } from "./theory.js";

/** Everything that is decided about a track before its notes. */
export interface Plan {
  /** The style as far as its weight lets it in. */
  style: Style;
  bpm: number;
  beats: 3 | 4;
  /** MIDI note of the tonic, in the octave below middle C. */
  tonic: number;
  scale: ScaleName;
  /** Chord symbols, a bar each. */
  progressions: { verse: readonly string[]; chorus: readonly string[]; bridge: readonly string[] };
  chords: PatchName;
  lead: PatchName;
  bass: PatchName | undefined;
  pad: PatchName | undefined;
  hasDrums: boolean;
  isHighVoice: boolean;
  mix: Mix;
}

/** The weight at which a style is itself: the contract's default. */
const STYLE_WHOLE = 0.65;
/** What sounds thin as an accompaniment, and so plays the melody. */
const MELODIC = new Set<PatchName>([
  "violin",
  "cello",
  "flute",
  "brass",
  "sax",
  "bells",
  "celesta",
  "balalaika",
]);

/**
 * Decides on tempo, key, chords and instruments. The style's weight mixes it with a plain band: at 0
 * that band plays, from 0.65 on the style is whole, and above it is exaggerated.
 * @param track 0 for the first one; the second gets another key, tempo and choice of instruments
 */
export function planOf(brief: Brief, random: Random, track: number): Plan {
  const whole = styleOf(brief.style);
  const style = weighed(whole, brief.styleWeight);
  const scale = scaleOf(brief, style, random, track);
  const { major, minor } = style.progressions;
  const progressions = isMinor(scale) ? minor : major;
  const start = random.fork("progression").whole(0, 11) + track;
  const progression = (index: number): string[] =>
    (progressions[(start + index) % progressions.length] ?? progressions[0]).split(" ");
  const band = bandOf(brief, style, track);
  const bpm = bpmOf(brief, whole, random, track);
  return {
    ...band,
    style,
    bpm,
    beats: brief.isWaltz ? 3 : style.beats,
    tonic: 45 + ((random.fork("key").whole(0, 11) + track * 5) % 12),
    scale,
    progressions: { verse: progression(0), chorus: progression(1), bridge: progression(2) },
    hasDrums: brief.hasDrums,
    isHighVoice: brief.voice ? brief.voice === "high" : random.fork("voice").chance(0.5) !== (track === 1),
    mix: mixOf(brief, style, bpm),
  };
}

function weighed(style: Style, weight: number): Style {
  const share = Math.min(1, weight / STYLE_WHOLE);
  const beyond = Math.max(0, (weight - STYLE_WHOLE) / (1 - STYLE_WHOLE));
  const from = <Key extends keyof Style>(key: Key, threshold: number): Style[Key] =>
    (weight >= threshold ? style : NEUTRAL)[key];
  const mixed = (plain: number, own: number): number => (plain + (own - plain) * share) * (1 + 0.35 * beyond);
  return {
    ...style,
    scales: from("scales", 0.2),
    chordSize: from("chordSize", 0.45),
    progressions: from("progressions", 0.3),
    beats: from("beats", 0.3),
    swing: mixed(NEUTRAL.swing, style.swing),
    chords: from("chords", 0.2),
    lead: from("lead", 0.3),
    bass: from("bass", 0.4),
    pad: from("pad", 0.5),
    comps: from("comps", 0.45),
    bassLine: from("bassLine", 0.5),
    kit: from("kit", 0.25),
    grooves: from("grooves", 0.35),
    density: mixed(NEUTRAL.density, style.density),
    register: from("register", 0.3),
    reverb: Math.min(0.8, mixed(NEUTRAL.reverb, style.reverb)),
    echo: mixed(NEUTRAL.echo, style.echo),
    drive: Math.min(1, mixed(NEUTRAL.drive, style.drive)),
    pump: Math.min(0.8, mixed(NEUTRAL.pump, style.pump)),
    dust: Math.min(1, mixed(NEUTRAL.dust, style.dust)),
    loudness: NEUTRAL.loudness + (style.loudness - NEUTRAL.loudness) * share,
  };
}

const TEMPO_FACTORS = { fast: 1.25, slow: 0.76 } as const;
const MOOD_TEMPI = { sad: 0.9, happy: 1.08, calm: 0.88, dark: 0.95, fierce: 1.1 } as const;

function bpmOf(brief: Brief, { bpm: [low, high] }: Style, random: Random, track: number): number {
  if (brief.bpm) return brief.bpm;
  // The second track lies half the range away from the first.
  const place = (random.fork("tempo").next() + track * 0.5) % 1;
  const weight = brief.styleWeight;
  const pull = Math.min(1, weight / STYLE_WHOLE) * (1 + 0.25 * Math.max(0, weight - STYLE_WHOLE));
  let bpm = 100 + (low + (high - low) * place - 100) * pull;
  for (const [mood, factor] of Object.entries(MOOD_TEMPI) as [keyof typeof MOOD_TEMPI, number][]) {
    if (brief.moods.has(mood)) bpm *= factor;
  }
  if (brief.tempo) bpm *= TEMPO_FACTORS[brief.tempo];
  return Math.min(200, Math.max(52, bpm));
}

function scaleOf({ moods }: Brief, style: Style, random: Random, track: number): ScaleName {
  const { scales } = style;
  const minor = scales.find(isMinor) ?? "minor";
  const major = scales.find((scale) => !isMinor(scale)) ?? "major";
  if (moods.has("happy") && !moods.has("sad")) return major;
  if (moods.has("sad") || moods.has("dark") || moods.has("fierce")) return minor;
  return scales[(random.fork("scale").whole(0, 5) + track) % scales.length] ?? scales[0];
}

/** Who plays: what the words name, else what the style does. */
function bandOf(brief: Brief, style: Style, track: number): Pick<Plan, "chords" | "lead" | "bass" | "pad"> {
  const isLoud = brief.style === "rock" || brief.style === "metal";
  const named = brief.instruments.map((name): PatchName => {
    if (name === "nylon" && isLoud) return "driven";
    return name === "synth" ? "supersaw" : name;
  });
  const chorded = named.filter((name) => !MELODIC.has(name));
  const melodic = named.filter((name) => MELODIC.has(name));
  const typical = <T>(list: readonly [T, ...T[]]): T => list[track % list.length] ?? list[0];
  const chords = chorded[0] ?? typical(style.chords);
  const second = chorded[1] ?? (chorded.includes("piano") || brief.isSolo ? chorded[0] : undefined);
  const lead = melodic[0] ?? second ?? typical(style.lead);
  const isThin = brief.isSolo || brief.audioWeight < 0.3;
  const pad = chorded.includes("strings") && chords !== "strings" ? "strings" : style.pad;
  return {
    chords: brief.isSolo && chorded.length === 0 ? lead : chords,
    lead: lead === "driven" ? "shred" : lead,
    bass: brief.isSolo ? undefined : typical(style.bass),
    pad: isThin ? undefined : (pad ?? (brief.audioWeight > 0.85 ? "strings" : undefined)),
  };
}

const decibels = (value: number): number => 10 ** (value / 20);

/**
 * The weight of the audio sets the accompaniment against the melody: from 9 dB softer at 0 to 5 dB louder
 * at 1, with 0.65 in between as written; the melody moves the other way by 3 dB and 2 dB.
 */
function mixOf({ audioWeight, moods }: Brief, style: Style, bpm: number): Mix {
  const away = audioWeight - 0.65;
  const others = decibels(away < 0 ? (away / 0.65) * 9 : (away / 0.35) * 5);
  const melody = decibels(away < 0 ? (-away / 0.65) * 3 : (-away / 0.35) * 2);
  const soft = moods.has("calm") || moods.has("sad") ? 0.75 : moods.has("fierce") ? 1.2 : 1;
  return {
    gains: {
      chords: 0.62 * others,
      bass: 0.8 * others,
      pad: 0.34 * others,
      guitars: 0.5 * others,
      drums: 0.6 * others * soft,
      lead: 0.95 * melody,
      voice: 0.34 * melody,
    },
    reverb: Math.min(0.8, style.reverb * (moods.has("dreamy") ? 1.6 : 1)),
    reverbSeconds: style.reverbSeconds,
    echo: style.echo,
    echoSeconds: (60 / bpm) * 0.75,
    drive: style.drive,
    pump: style.pump,
    dust: style.dust,
    loudness: style.loudness,
  };
}

/** Takes as many steps of a pattern for four beats as the bar has. */
export function stepsOf(pattern: string, beats: 3 | 4): string {
  return pattern.slice(0, beats * 4);
}

const WALTZ_COMP: Comp = { kind: "hits", steps: "....x---x---" };
const WALTZ_GROOVE: Groove = { kick: "x...........", rim: "....o...o..." };

/** How the chords go in a section; in three-four time they answer the bass. */
export function compOf({ style, beats }: Plan, isChorus: boolean): Comp {
  const comp = isChorus ? style.comps.chorus : style.comps.verse;
  if (beats === 3) return comp.kind === "hits" || comp.kind === "strum" ? WALTZ_COMP : comp;
  return comp;
}

export function grooveOf({ style, beats }: Plan, isChorus: boolean): Groove {
  const groove = isChorus ? style.grooves.chorus : style.grooves.verse;
  return beats === 3 && Object.keys(groove).length > 0 ? WALTZ_GROOVE : groove;
}
