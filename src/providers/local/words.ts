import { type Colour, colourOf } from "./colour.js";
import { COLOURS, MOODS, PLACES, SEASONS, SUBJECTS, TIMES, WEATHERS } from "./lexicon.js";
import { hashOf } from "./random.js";

type Place = keyof typeof PLACES;
type Time = keyof typeof TIMES;
type Weather = keyof typeof WEATHERS | "clear";
type Season = keyof typeof SEASONS;
type Mood = keyof typeof MOODS;
export type Subject = keyof typeof SUBJECTS;

/** What a prompt asks to see. */
export interface Scene {
  place: Place;
  /** Further places that the prompt names, in its order. */
  also: readonly Place[];
  time: Time;
  weather: Weather;
  season: Season | undefined;
  mood: Mood | undefined;
  /** What stands in the picture, in the order of the prompt. */
  subjects: readonly Subject[];
  /** The colours that the prompt names. */
  colours: readonly Colour[];
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
};

/** Reads a prompt in Russian or English. What it does not say is chosen by its hash. */
export function sceneOf(prompt: string): Scene {
  const words = [...new Set(wordsOf(prompt))];
  const hash = hashOf(words.join(" "));
  const subjects = found(words, SUBJECTS);
  let places = found(words, PLACES);
  if (ON_MOON.test(prompt)) places = ["moon", ...places.filter((place) => place !== "moon")];
  const times = found(words, TIMES);
  const weathers = found(words, WEATHERS);
  const seasons = found(words, SEASONS);
  const colours = found(words, COLOURS);
  const [mood] = found(words, MOODS);
  const isUnknown = [subjects, places, times, weathers, seasons, mood ? [mood] : []].every(
    (names) => names.length === 0,
  );
  const season = seasons[0];
  const [first] = subjects;
  const home = first && HOMES[first];
  const free: readonly Place[] = ["mountains", "meadow", "sea", "forest"];
  const place =
    places[0] ??
    home ??
    (isUnknown ? "abstract" : subjects[0] ? "meadow" : free[hash % free.length]) ??
    "meadow";
  const guesses: readonly Time[] =
    season === "winter" ? ["day", "dawn", "sunset"] : ["sunset", "dawn", "day"];
  const isNeon = mood === "neon" || place === "space" || place === "moon";
  return {
    place,
    also: places.slice(1),
    time: times[0] ?? (isNeon ? "night" : guesses[hash % 3]) ?? "sunset",
    weather: weathers[0] ?? (season === "winter" ? "snow" : "clear"),
    season: season ?? (weathers.includes("snow") ? "winter" : undefined),
    mood,
    subjects: subjects.slice(0, 3),
    colours: colours.map((name) => colourOf(name)),
    isUnknown,
  };
}
