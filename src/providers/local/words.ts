import { type Colour, colourOf } from "./colour.js";
import { COLOURS, MOODS, PEOPLE, PLACES, SEASONS, STYLES, SUBJECTS, TIMES, WEATHERS } from "./lexicon.js";
import { quotedIn } from "./quotes.js";
import { hashOf } from "./random.js";
import { canSet, settable } from "./type/fonts.js";

/** A poster shows nothing but its title, a studio nothing but a face. */
type Place = keyof typeof PLACES | "poster" | "studio";
type Time = keyof typeof TIMES;
type Weather = keyof typeof WEATHERS | "clear";
type Season = keyof typeof SEASONS;
type Mood = keyof typeof MOODS;
export type Subject = keyof typeof SUBJECTS;
export type Style = keyof typeof STYLES;
type Person = keyof typeof PEOPLE;

/** What a prompt asks to see. */
export interface Scene {
  place: Place;
  /** True where no weather gets in. */
  isIndoors: boolean;
  /** Further places that the prompt names, in its order. */
  also: readonly Place[];
  time: Time;
  weather: Weather;
  season: Season | undefined;
  mood: Mood | undefined;
  /** What stands in the picture, in the order of the prompt. */
  subjects: readonly Subject[];
  /** True for a portrait of an animal. */
  isCloseUp: boolean;
  /** The colours that the prompt names. */
  colours: readonly Colour[];
  /** Who a person is, where the prompt says it. */
  who: Person | undefined;
  /** How the picture is painted; as it comes when undefined. */
  style: Style | undefined;
  /** Texts to be set in type: the quotations, or on a poster the prompt itself. */
  title: readonly string[];
  /** True when the prompt has no word that is known, so that its hash decides everything. */
  isUnknown: boolean;
}

type Lexicon<Name extends string> = Readonly<Record<Name, string>>;

const NEGATIONS = new Set(["no", "not", "without", "без", "нет", "не"]);

/** The words of a prompt, lower case, `ё` as `е`; a word behind "no" or "без" is left out. */
export function wordsOf(prompt: string): string[] {
  const words =
    prompt
      .toLowerCase()
      .replaceAll("ё", "е")
      .match(/\p{L}+/gu) ?? [];
  return words.filter((_word, index) => !NEGATIONS.has(words[index - 1] ?? ""));
}

/**
 * The names of a lexicon whose words are in the text, in the order of the text. A lexicon's entry is
 * words behind blanks: `кошк*` stands for every word that begins so, `cat` for that word alone.
 */
export function found<Name extends string>(words: readonly string[], lexicon: Lexicon<Name>): Name[] {
  const names = new Map<Name, number>();
  for (const name of Object.keys(lexicon) as Name[]) {
    for (const entry of lexicon[name].split(" ")) {
      const stem = entry.slice(0, -1);
      const index = entry.endsWith("*")
        ? words.findIndex((word) => word.startsWith(stem))
        : words.indexOf(entry);
      if (index >= 0) names.set(name, Math.min(index, names.get(name) ?? index));
    }
  }
  return [...names].sort(([, first], [, second]) => first - second).map(([name]) => name);
}

const ON_MOON = /\b(?:on|over) (?:the )?moon\b|на луне|по луне|лунн\p{L}* поверхност/iu;
/** Places that subjects belong to when the prompt names none. */
const HOMES: Partial<Record<Subject, Place>> = {
  boat: "sea",
  whale: "sea",
  fox: "forest",
  lighthouse: "sea",
  rocket: "space",
  car: "city",
  robot: "city",
  balloon: "mountains",
  castle: "mountains",
  deer: "forest",
  fire: "forest",
  dragon: "mountains",
  hat: "room",
  portrait: "studio",
  unicorn: "meadow",
};

/** Things to eat and drink: they stand on a table. */
export const DISHES: ReadonlySet<Subject> = new Set(["food", "cake", "pizza", "burger", "coffee", "fruit"]);
const ANIMALS: ReadonlySet<Subject> = new Set([
  "cat",
  "dog",
  "fox",
  "deer",
  "horse",
  "unicorn",
  "dragon",
  "robot",
] as const);
const INDOORS: ReadonlySet<Place> = new Set(["room", "studio", "poster"] as const);
/** What is too large for a room. */
const BUILDINGS: ReadonlySet<Subject> = new Set(["house", "castle", "lighthouse"]);

/** A title is at most this long, in characters. */
const TITLE_LENGTH_MAX = 140;

/**
 * Reads a prompt in Russian or English. What it does not say is chosen by its hash.
 * @param hasPictures true when pictures are given, of which a prompt without a known word speaks
 */
export function sceneOf(prompt: string, hasPictures = false): Scene {
  const { texts, rest } = quotedIn(prompt);
  const words = [...new Set(wordsOf(rest))];
  const hash = hashOf(words.join(" "));
  let places: readonly Place[] = found(words, PLACES);
  if (ON_MOON.test(rest)) places = ["moon", ...places.filter((place) => place !== "moon")];
  const named = found(words, SUBJECTS).filter((name) => places[0] !== "room" || !BUILDINGS.has(name));
  const isCloseUp = named.includes("portrait") && named.some((name) => ANIMALS.has(name));
  const unshown = named.includes("portrait") ? (isCloseUp ? ["portrait", "person"] : ["person"]) : [];
  const subjects = named.filter((name) => !unshown.includes(name));
  const times = found(words, TIMES);
  const weathers = found(words, WEATHERS);
  const seasons = found(words, SEASONS);
  const colours = found(words, COLOURS);
  const [mood] = found(words, MOODS);
  // A mood or a colour alone is nothing that could be shown.
  const isUnknown = [subjects, places, times, weathers, seasons].every((names) => names.length === 0);
  const season = seasons[0];
  const [first] = subjects;
  const title = (texts.length > 0 ? texts : isUnknown && !hasPictures ? [rest] : [])
    .filter(canSet)
    .map((text) => shortened(settable(text)))
    .map((text) => text.charAt(0).toLocaleUpperCase() + text.slice(1));
  const free: readonly Place[] = ["mountains", "meadow", "sea", "forest"];
  const place =
    places[0] ??
    (isUnknown ? (title.length > 0 && !hasPictures ? "poster" : "abstract") : homeOf(subjects)) ??
    (first ? "meadow" : free[hash % free.length]) ??
    "meadow";
  const guesses: readonly Time[] =
    season === "winter" ? ["day", "dawn", "sunset"] : ["sunset", "dawn", "day"];
  const isNeon = mood === "neon" || place === "space" || place === "moon";
  return {
    place,
    isIndoors: INDOORS.has(place),
    also: places.slice(1),
    time: times[0] ?? (isNeon ? "night" : guesses[hash % 3]) ?? "sunset",
    weather: weathers[0] ?? (season === "winter" ? "snow" : "clear"),
    season: season ?? (weathers.includes("snow") ? "winter" : undefined),
    mood,
    subjects: subjects.slice(0, 3),
    isCloseUp,
    colours: colours.map((name) => colourOf(name)),
    who: found(words, PEOPLE)[0],
    style: found(words, STYLES)[0],
    title,
    isUnknown,
  };
}

/** Where the first subject is at home. */
function homeOf([first]: readonly Subject[]): Place | undefined {
  return first && (DISHES.has(first) ? "room" : HOMES[first]);
}

/** Cut at a word, with dots. */
function shortened(text: string): string {
  if (text.length <= TITLE_LENGTH_MAX) return text;
  const cut = text.slice(0, TITLE_LENGTH_MAX);
  const space = cut.lastIndexOf(" ");
  return `${cut.slice(0, space > TITLE_LENGTH_MAX / 2 ? space : TITLE_LENGTH_MAX).replace(/[\s\p{P}]+$/u, "")}…`;
}
