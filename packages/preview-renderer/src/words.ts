import { type Colour, colourOf } from "./colour.js";
import { countBefore } from "./counts.js";
import { found, isIn, wordsOf } from "./find-words.js";
import { headOf } from "./head.js";
import { COLOURS, MOODS, PLACES, POSES, SEASONS, STYLES, SUBJECTS, TIMES, WEATHERS } from "./lexicon.js";
import { type Person, peopleOf } from "./people.js";
import { withPhrasesRead } from "./phrases.js";
import { quotedIn } from "./quotes.js";
import { hashOf } from "./random.js";
import { canSet, settable } from "./type/fonts.js";

/** A poster shows nothing but its title, a studio nothing but a face. */
type Place = keyof typeof PLACES | "poster" | "studio" | "roof";
type Time = keyof typeof TIMES;
type Weather = keyof typeof WEATHERS | "clear";
type Season = keyof typeof SEASONS;
type Mood = keyof typeof MOODS;
export type Subject = keyof typeof SUBJECTS;
export type Style = keyof typeof STYLES;
type Pose = keyof typeof POSES;

/** What a prompt is read for: a `cover` shows whatever its words call to mind, an `addition` goes with pictures. */
type Purpose = "picture" | "cover" | "addition";

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
  /** How many there are of a subject, where the prompt says it. */
  counts: Partial<Record<Subject, number>>;
  /** Who is there, in the order of the prompt. */
  people: readonly Person[];
  /** The colour of somebody's hair, where the prompt says it. */
  hair: Colour | undefined;
  /** What animals do, where the prompt says it. */
  pose: Pose | undefined;
  /** How the picture is painted; as it comes when undefined. */
  style: Style | undefined;
  /** Texts to be set in type: the quotations, or on a poster the prompt itself. */
  title: readonly string[];
  /** True when the prompt's main thing is not known, so that its words are shown and nothing else. */
  isUnknown: boolean;
}

const ON_ROOF = /(?<!\p{L})(?:на|по) крыш|on (?:a |the |its |my )?(?:tiled |red |old )?roof|rooftop/iu;
const ON_MOON = /\b(?:on|over) (?:the )?moon\b|на луне|по луне|лунн\p{L}* поверхност/iu;
/** Places that subjects belong to when the prompt names none. */
const HOMES: Partial<Record<Subject, Place>> = {
  boat: "sea",
  whale: "sea",
  fox: "forest",
  lighthouse: "sea",
  rocket: "space",
  spaceship: "space",
  fireplace: "room",
  kite: "meadow",
  bee: "meadow",
  sunflower: "meadow",
  train: "meadow",
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
const BUILDINGS: ReadonlySet<Subject> = new Set(["house", "castle", "lighthouse", "road", "train"]);

const SUBJECTS_MAX = 3;
/** A title is at most this long, in characters. */
const TITLE_LENGTH_MAX = 140;

/** Reads a prompt in Russian or English. What it does not say is chosen by its hash. */
export function sceneOf(prompt: string, purpose: Purpose = "picture"): Scene {
  const { texts, rest } = quotedIn(prompt);
  const said = withPhrasesRead(rest);
  const all = isHalfUnderstood(said, purpose) ? [] : wordsOf(said);
  const words = [...new Set(all)];
  const hash = hashOf(words.join(" "));
  const places = placesOf(words, rest);
  const named = found(words, SUBJECTS).filter((name) => places[0] !== "room" || !BUILDINGS.has(name));
  const isFace = named.includes("portrait") && (named.length === 1 || named.includes("person"));
  const isCloseUp = named.includes("portrait") && named.some((name) => ANIMALS.has(name));
  const unshown = isCloseUp ? ["portrait", "person"] : isFace ? ["person"] : ["portrait"];
  const subjects = named.filter((name) => !unshown.includes(name)).slice(0, SUBJECTS_MAX);
  const times = found(words, TIMES);
  const weathers = found(words, WEATHERS);
  const seasons = found(words, SEASONS);
  const hair = hairOf(words);
  const colours = found(words, COLOURS).filter((name) => name !== hair);
  const [mood] = found(words, MOODS);
  // A mood or a colour alone is nothing that could be shown.
  const isUnknown = [subjects, places, times, weathers, seasons].every((names) => names.length === 0);
  const season = seasons[0];
  const [first] = subjects;
  const title = (texts.length > 0 ? texts : isUnknown && purpose !== "addition" ? [rest] : [])
    .filter(canSet)
    .map((text) => shortened(settable(text)))
    .map((text) => text.charAt(0).toLocaleUpperCase() + text.slice(1));
  const free: readonly Place[] = ["mountains", "meadow", "sea", "forest"];
  const place =
    places[0] ??
    (isUnknown ? (title.length > 0 && purpose !== "addition" ? "poster" : "abstract") : homeOf(subjects)) ??
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
    subjects,
    isCloseUp,
    colours: colours.map((name) => colourOf(name)),
    counts: Object.fromEntries(subjects.map((name) => [name, countBefore(all, SUBJECTS[name]) ?? 1])),
    people: subjects.includes("person") || isFace ? peopleOf(all.join(" ")) : [],
    hair: hair && colourOf(hair),
    pose: found(words, POSES)[0],
    style: found(words, STYLES)[0],
    title,
    isUnknown,
  };
}

/** A scene without the main thing would be a wrong picture. Nothing abstract is wrong. */
function isHalfUnderstood(said: string, purpose: Purpose): boolean {
  return (
    purpose === "picture" && headOf(said) === "unknown" && !found(wordsOf(said), PLACES).includes("abstract")
  );
}

function placesOf(words: readonly string[], said: string): readonly Place[] {
  const places: readonly Place[] = found(words, PLACES);
  if (words.length === 0) return places;
  const first = ON_MOON.test(said) ? "moon" : ON_ROOF.test(said) ? "roof" : undefined;
  // A room is seen from within, whatever its windows look out on.
  const ahead = first ?? places.find((place) => place === "room");
  return ahead ? [ahead, ...places.filter((place) => place !== ahead)] : places;
}

/** The colour that stands right before a word for hair. */
function hairOf(words: readonly string[]): keyof typeof COLOURS | undefined {
  const at = words.findIndex((word) => isIn(word, "hair haired волос*"));
  return at > 0 ? found(words.slice(at - 1, at), COLOURS)[0] : undefined;
}

/** Returns the place where the first subject is at home. */
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
