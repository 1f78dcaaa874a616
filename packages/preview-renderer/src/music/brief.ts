import { found, wordsOf } from "../find-words.js";
import { hashOf } from "../random.js";
import type { ParameterValue, RenderRequest } from "../task.js";
import {
  INSTRUMENT_WORDS,
  METER_WORDS,
  MOOD_WORDS,
  STYLE_WORDS,
  TEMPO_WORDS,
  VOICE_WORDS,
} from "./lexicon.js";
import { STYLES, type StyleName } from "./styles/styles.js";

export type Mood = keyof typeof MOOD_WORDS;
type Instrument = keyof typeof INSTRUMENT_WORDS;

/** What a request asks to hear. */
export interface Brief {
  style: StyleName;
  moods: ReadonlySet<Mood>;
  tempo: keyof typeof TEMPO_WORDS | undefined;
  /** Beats a minute, where the words give a number. */
  bpm: number | undefined;
  /** The instruments that the words name, in their order. */
  instruments: readonly Instrument[];
  /** True when the instruments play alone, without bass and drums. */
  isSolo: boolean;
  hasDrums: boolean;
  isWaltz: boolean;
  hasVoice: boolean;
  voice: keyof typeof VOICE_WORDS | undefined;
  /** Lyrics to sing; absent when the song has a description only. */
  lyrics: string | undefined;
  /** What the song is about: its title, description or lyrics. */
  subject: string;
  title: string | undefined;
  /** The weights, 0 to 1. */
  styleWeight: number;
  weirdness: number;
  audioWeight: number;
  durationSec: number | undefined;
}

/** What a weight is for models that have none: the default of the contract. */
const WEIGHT_DEFAULT = 0.65;
const BPM = /(\d{2,3})\s*(?:bpm|уд|бпм)/iu;
const NO_DRUMS = /(?:no|without) (?:any )?(?:drums|percussion|beat)|без (?:барабан|ударн|перкусси|бита)/iu;
const NO_VOICE =
  /instrumental|инструментал|(?:no|without) (?:any )?(?:vocals?|voice|singing|lyrics)|без (?:вокала|слов|голоса|пения)/iu;
const ALONE = /\bsolo\b|\bonly\b|\balone\b|(?<!\p{L})(?:соло|только|одно|одна|один)(?!\p{L})/iu;
const CHIP = /8[\s-]?(?:bit|бит)/iu;

/**
 * Reads a song's request in Russian and English. The style is the one that the custom style names, else
 * the preset, else one that the description names, else one that suits its mood.
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
  const instruments = found(words, INSTRUMENT_WORDS);
  if (CHIP.test(said)) instruments.unshift("chip");
  const bpm = Number(BPM.exec(said)?.[1] ?? 0);
  const isSolo = ALONE.test(said) && instruments.length > 0;
  return {
    style: styleFor(custom, request.style_preset_id, description, moods, instruments),
    moods,
    tempo: found(words, TEMPO_WORDS)[0],
    bpm: bpm >= 40 && bpm <= 220 ? bpm : undefined,
    instruments,
    isSolo,
    hasDrums: !isSolo && !NO_DRUMS.test(said),
    isWaltz: found(words, METER_WORDS).length > 0,
    hasVoice: request.make_instrumental !== true && !NO_VOICE.test(said),
    voice: found(words, VOICE_WORDS)[0],
    lyrics: lyrics || undefined,
    subject: [title, description, lyrics].filter(Boolean).join("\n"),
    title,
    styleWeight: weightOf(request.style_weight),
    weirdness: weightOf(request.weirdness_constraint),
    audioWeight: weightOf(request.audio_weight),
    durationSec: typeof request.duration_sec === "number" ? request.duration_sec : undefined,
  };
}

function styleFor(
  custom: string,
  preset: ParameterValue | undefined,
  description: string,
  moods: ReadonlySet<Mood>,
  instruments: readonly Instrument[],
): StyleName {
  const [named] = found(wordsOf(custom), STYLE_WORDS);
  if (named) return named;
  if (typeof preset === "string" && isStyle(preset)) return preset;
  const [meant] = found(wordsOf(description), STYLE_WORDS);
  if (meant) return meant;
  // A calm piano is no lo-fi beat: concert instruments play without drums.
  if (moods.has("calm") && instruments.some((name) => CONCERT.has(name))) return "classical";
  return styleOfMood(moods, hashOf(`${custom}\n${description}`));
}

const CONCERT: ReadonlySet<Instrument> = new Set([
  "piano",
  "strings",
  "violin",
  "cello",
  "flute",
  "harp",
] as const);

const SUITING: readonly [Mood, StyleName][] = [
  ["fierce", "rock"],
  ["grand", "cinematic"],
  ["dreamy", "ambient"],
  ["dark", "cinematic"],
  ["calm", "lofi"],
  ["sad", "folk"],
];

function styleOfMood(moods: ReadonlySet<Mood>, hash: number): StyleName {
  const suiting = SUITING.find(([mood]) => moods.has(mood))?.[1];
  const free: readonly StyleName[] = ["pop", "electronic", "folk", "pop"];
  return suiting ?? free[hash % free.length] ?? "pop";
}

function isStyle(name: string): name is StyleName {
  return Object.hasOwn(STYLES, name);
}

function textOf(value: ParameterValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function weightOf(value: ParameterValue | undefined): number {
  return typeof value === "number" ? Math.min(1, Math.max(0, value)) : WEIGHT_DEFAULT;
}
