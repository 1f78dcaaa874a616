import { type Colour, colourOf, mix, turned } from "./colour.js";
import type { Random } from "./random.js";
import { found, wordsOf } from "./words.js";

/** How a picture is composed. */
export type Form = "silk" | "dunes" | "orbs" | "arches";

/** What words call to mind: five colours from dark to light, the one that stands out, and the forms that suit it. */
interface Theme {
  ramp: string;
  accent: string;
  forms: readonly Form[];
  words: string;
}

const THEMES = {
  sunset: {
    ramp: "1c1238 5f2160 c23a5c f5854e ffd9a0",
    accent: "fff0c8",
    forms: ["dunes", "orbs", "silk"],
    words: "sunset* dusk evening* twilight закат* вечер* сумер*",
  },
  dawn: {
    ramp: "2f2f52 6d6f9e c29db5 f4c9ae fff1dd",
    accent: "ff8f6b",
    forms: ["dunes", "silk", "orbs"],
    words:
      "dawn* sunrise* morning* calm quiet gentle dream* рассвет* утр* заря зари спокой* нежн* тих* мечт* сон сны",
  },
  sea: {
    ramp: "06202f 0c4c69 1c8a9d 7fcbc3 ebf5e6",
    accent: "ffb27a",
    forms: ["silk", "dunes"],
    words:
      "sea seas ocean* beach* coast* wave waves water lake* river* whale* ship* boat* море моря морю морем морск* океан* пляж* берег* волн* вода воды озер* рек* кит киты корабл* лодк* парус*",
  },
  night: {
    ramp: "070b20 121e4e 2e3f8c 7379cc d3d8f8",
    accent: "ffd98a",
    forms: ["orbs", "dunes", "silk"],
    words: "night* midnight moon* star stars starry ночь ночи ночью ночн* полноч* лун* звезд*",
  },
  forest: {
    ramp: "0b1d16 1b4233 44785a 9ab672 eef0c8",
    accent: "f3c04b",
    forms: ["silk", "dunes"],
    words:
      "forest* wood woods jungle* tree trees nature garden* park grass leaf leaves meadow* field* fox* лес леса лесу лесом лесн* джунгл* дерев* природ* сад сада саду парк* трав* лист* луг* поле поля лис лиса лису",
  },
  winter: {
    ramp: "17253d 3d5c83 83a8c8 c8dcea f8fbfd",
    accent: "e9785e",
    forms: ["dunes", "silk", "orbs"],
    words:
      "winter* snow* ice icy frost* christmas* cold зим* снег* снеж* лед льда ледян* мороз* новогод* холод*",
  },
  fire: {
    ramp: "1b0607 611010 bb2c1d f4761f ffd56e",
    accent: "fff3cf",
    forms: ["silk", "orbs"],
    words:
      "fire* flame* volcano* dragon* hot rock metal огонь огн* пламя пожар* костер костр* вулкан* дракон* жар* рок",
  },
  autumn: {
    ramp: "20100b 5d2615 ab4b1f df912f f9dc9c",
    accent: "7a1f2b",
    forms: ["silk", "dunes", "arches"],
    words: "autumn* fall october осен* октябр* листопад*",
  },
  spring: {
    ramp: "2e1d3f 7c4274 d5849f f5c3c3 fff0e8",
    accent: "7fae68",
    forms: ["orbs", "silk"],
    words:
      "spring* flower* blossom* rose roses sakura garden весн* цвет цветы цветок цветов* роза розы роз сакур* букет*",
  },
  summer: {
    ramp: "0d3a52 17838c f0864c f8bc45 fff3d4",
    accent: "e8436b",
    forms: ["arches", "orbs", "dunes"],
    words: "summer* sun sunny tropic* vacation palm лето лета летн* солн* тропик* отпуск* пальм*",
  },
  desert: {
    ramp: "2c160f 7d3d24 c77d48 e9ba83 fcefd7",
    accent: "2f6f86",
    forms: ["dunes", "silk"],
    words: "desert* dune* sand* sahara egypt* пустын* дюн* бархан* песок песк* сахар* египет*",
  },
  mountains: {
    ramp: "131c2d 35445f 7183a3 b4c2d2 f3f3ef",
    accent: "f2a45c",
    forms: ["dunes"],
    words:
      "mountain* alps peak* summit* hill* cliff* valley* гора горы горе гору гор горам горах горн* вершин* скал* холм* долин*",
  },
  space: {
    ramp: "06040f 1c1040 4f2382 ab4cab f6c8e3",
    accent: "7fe2ff",
    forms: ["orbs", "silk"],
    words:
      "space cosm* galax* universe planet* astronaut* rocket* alien* космос* космич* галактик* вселенн* планет* космонавт* ракет*",
  },
  neon: {
    ramp: "0b0719 2d1156 7e2292 e43b92 ffd3ea",
    accent: "2fe3e0",
    forms: ["arches", "orbs", "silk"],
    words:
      "city cities street* neon cyber* club* techno tokyo retro synth* electr* город* улиц* неон* кибер* клуб* техно токио ретро москв* электро*",
  },
  love: {
    ramp: "25060f 7b0d2c c8264d f58292 ffe0da",
    accent: "ffc56b",
    forms: ["orbs", "silk"],
    words:
      "love* heart* kiss* romantic* wedding* valentine* любов* любл* сердц* поцелу* романт* свадьб* свадебн*",
  },
  dark: {
    ramp: "08080a 1d1e24 46474e 8f8f92 dedbd4",
    accent: "c02a36",
    forms: ["silk", "dunes"],
    words:
      "dark* horror gothic scary ghost* shadow* noir темн* тьма мрач* ужас* страшн* готич* призрак* тень тени нуар*",
  },
  gold: {
    ramp: "130e08 402c11 906a27 d6ac5b faecc8",
    accent: "fff7e2",
    forms: ["arches", "silk"],
    words:
      "gold* luxur* royal king queen palace castle* jewel* золот* роскош* корол* цар* дворец* замок замк*",
  },
  rain: {
    ramp: "19222c 3e4d5b 74879a afbec6 eef1ef",
    accent: "f0b24e",
    forms: ["silk"],
    words:
      "rain* storm* fog* mist* cloud* sad* lonely дожд* ливн* гроз* бур* туман* облак* туч* грус* печал* одинок*",
  },
  machine: {
    ramp: "06101a 0e2f4d 1d70ad 53c6e2 e6fbff",
    accent: "ffd45e",
    forms: ["arches", "silk", "orbs"],
    words:
      "robot* tech* machine* future* computer* car cars science* logo* робот* технолог* машин* будущ* компьютер* наук* логотип*",
  },
  sweet: {
    ramp: "1e110c 4e2d1e 935d3f d7aa83 faeedf",
    accent: "d9573f",
    forms: ["arches", "orbs", "dunes"],
    words:
      "coffee* chocolate* cake* bread bakery pizza* food cozy cosy cat cats dog dogs кофе* кофейн* шоколад* торт* хлеб* пекарн* пицц* еда уют* кот кота кошк* котен* собак* щен*",
  },
  party: {
    ramp: "21134a 6f2eba f1447f ffa63a fff3c0",
    accent: "25c9b8",
    forms: ["arches", "orbs"],
    words:
      "party joy* happy fun birthday* child* kids circus balloon* dance* summer pop праздник* весел* радост* счаст* день рожден* дет* ребен* цирк* шар* танц*",
  },
} as const satisfies Record<string, Theme>;

type ThemeName = keyof typeof THEMES;

const COLOURS = {
  "#d8323c": "red crimson scarlet красн* алый алая алое алые алым",
  "#f0862e": "orange amber оранж* рыж* янтар*",
  "#f2c43a": "yellow желт*",
  "#3f9b57": "green emerald зелен* изумруд*",
  "#1fa8a5": "teal turquoise cyan бирюз*",
  "#2f6fd0": "blue azure син* голуб* лазур*",
  "#7d4bc4": "purple violet lilac lavender фиолет* сирен* лилов* пурпур* лаванд*",
  "#ea7aa8": "pink розов*",
  "#8b8d94": "gray grey серый серая серое серые серого серой серых monochrome",
  "#8a5a3a": "brown коричнев*",
} as const;

/** Ramps from dark to light: `ground` leads, `other` shows in parts of the picture. */
export interface Palette {
  ground: readonly Colour[];
  other: readonly Colour[];
  accent: Colour;
  /** Preferred first. */
  forms: readonly [Form, ...Form[]];
}

const ALL_FORMS: readonly [Form, ...Form[]] = ["silk", "dunes", "orbs", "arches"];
const THEME_NAMES = Object.keys(THEMES) as [ThemeName, ...ThemeName[]];
const THEME_WORDS = Object.fromEntries(THEME_NAMES.map((name) => [name, THEMES[name].words])) as Record<
  ThemeName,
  string
>;

/** The colours that words call to mind, a little different for each seed; words that say nothing get any. */
export function paletteOf(text: string, random: Random): Palette {
  const words = wordsOf(text);
  const themes = found(words, THEME_WORDS);
  const colours = found(words, COLOURS).map((name) => colourOf(name));
  const dice = random.fork("palette");
  const first = themes[0] ?? dice.pick(THEME_NAMES);
  const second = themes[1] ?? first;
  const turn = dice.between(-0.16, 0.16);
  const vivid = dice.between(0.92, 1.12);
  const forms: Form[] = themes.slice(0, 2).flatMap((name) => [...THEMES[name].forms]);
  const [preferred, ...others] = forms;
  const rampOf = (name: ThemeName, way: number): Colour[] =>
    THEMES[name].ramp.split(" ").map((hex) => turned(colourOf(`#${hex}`), turn * way, vivid));
  const [named, also] = colours;
  const ground = named && themes.length === 0 ? rampAround(named) : rampOf(first, 1);
  return {
    ground,
    other: also
      ? rampAround(also)
      : named
        ? rampAround(named)
        : second === first
          ? ground.map((colour) => turned(colour, dice.chance(0.5) ? 0.55 : -0.55, 1))
          : rampOf(second, -1),
    accent: turned(colourOf(`#${THEMES[second].accent}`), turn, 1),
    forms: preferred ? [preferred, ...others] : ALL_FORMS,
  };
}

/** Five shades of a colour, their hues drifting as in nature: cooler where it is dark, warmer where it is light. */
function rampAround(colour: Colour): Colour[] {
  const steps = [0.16, 0.32, colour.l, (colour.l + 0.95) / 2, 0.95];
  return steps.map((l, index) => {
    const chroma = [0.55, 0.85, 1, 0.62, 0.2][index] ?? 1;
    return turned({ ...colour, l }, (index - 2) * 0.12, chroma);
  });
}

/** The colour at a place of a ramp, 0 dark to 1 light. */
export function shadeOf(ramp: readonly Colour[], place: number): Colour {
  const at = Math.min(1, Math.max(0, place)) * (ramp.length - 1);
  const index = Math.min(ramp.length - 2, Math.floor(at));
  const [low, high] = [ramp[index], ramp[index + 1]];
  return low && high ? mix(low, high, at - index) : { l: 0.5, a: 0, b: 0 };
}
