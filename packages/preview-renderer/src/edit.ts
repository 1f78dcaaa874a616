import { type Canvas, createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import { paletteOf } from "./palette.js";
import { type Random, randomOfWish } from "./random.js";
import { paintTiles } from "./references.js";
import type { Wish } from "./task.js";
import { paintNote, paintWording, settable } from "./type.js";
import { found, quotedIn, shortened, wordsOf } from "./words.js";

/** A picture that is painted anew. */
interface Surface {
  canvas: Canvas;
  ctx: SKRSContext2D;
  width: number;
  height: number;
  /** A square picture has 1024 of them a side; in pixels. */
  unit: number;
  random: Random;
}

/** The words of edits, Russian and English, in the notation of the picture's lexicon. */
const STEPS = {
  grey: "чб чернобел* grayscale greyscale monochrome монохром* обесцвет* desaturate*",
  sepia: "sepia сепи*",
  night: "night nighttime ночь ночи ночью ночной ночную ночным ночное",
  brighter: "brighter brighten lighter lighten ярче светлее осветли* посветлее поярче",
  darker: "darker darken темнее затемни* потемнее",
  warmer: "warmer warm теплее потеплее",
  colder: "colder cooler cold холоднее похолоднее прохладнее",
  blur: "blur blurry blurred размой размыть размыто* размытую размытым заблюр* блюр",
  mirror: "mirror mirrored flip flipped зеркал* отзеркал* отрази* отраз*",
  square: "square crop cropped квадрат* обреж* обрез* кадрир*",
  winter: "winter* зима зиму зимы зимой зимн*",
  snow: "snow snowy snowing snowfall снег снега снегом снежн* заснеж* снегопад*",
  rain: "rain rainy raining дождь дождя дождем дождлив*",
} as const;

/** Words that say where a text stands, and nothing else. */
const TEXT_WORDS =
  "text texts caption* title* inscription* lettering word words write says saying letters надпис* текст* напиш* написать подпиш* подпис* слово слова словами фраз* буквами";

/** What an edit says besides its steps. */
const FILLERS =
  "make turn combine merge same but change convert transform into to it this that these those the a an in of on at as with for from please picture pictures image images photo photos photograph photography painting drawing art version style colours colors color colour tone tones look effect filter apply add put give set be is let and then more less bit little slightly much very all whole everything horizontally horizontal collage grid shape format bottom top below above falling " +
  "сделай* объедини* собери* нарисуй* то же отражение отражени* арт из них них сделать сделайте преврати* переведи* измени* примени* добавь добавьте наложи* поставь пусть будет было чтобы был была шел идет пошел падает это эту этот эти его ее их фото фотку фотки фотография фотографию фотографии фотографий снимок снимки картинк* картина картину картин* изображени* рисунок рисунком рисунк* кадр кадра мне мое мою нам пожалуйста в во на до из по к с со и а потом затем еще более менее чуть чуточку немного немножко слегка очень сильно сильнее намного все весь всю целиком стил* стиле цвет* тон* тона фильтр* эффект* вариант* верси* горизонтал* коллаж* сетк* формат* внизу снизу сверху вверху краск* красками свет света светом время";

type EditStep = keyof typeof STEPS;

/** What a prompt asks to do with a picture that is given. */
export interface Edit {
  /** What is really done, in the order of the prompt. */
  steps: readonly EditStep[];
  /** Words to be set in type on the picture. */
  texts: readonly string[];
  /** True when the texts stand at the lower edge. */
  isTextBelow: boolean;
  /** What is asked and not done, in the user's words; empty when all is done. */
  undone: string;
}

const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/ч(?:е|ё)рно[\s-]*бел\p{L}*|(?<!\p{L})ч\s*[/\\]\s*б(?!\p{L})/giu, "чб"],
  [/\bblack[\s-]*(?:and|&|n)[\s-]*white\b|\bb\s*&\s*w\b/giu, "grayscale"],
  [/(?<!\p{L})(?:day(?:light)? (?:in)?to night|из дня ночь|день в ночь)(?!\p{L})/giu, "night"],
  [
    /(?<!\p{L})(?:увелич\p{L}*|добав\p{L}*|повы[сш]\p{L}*) яркост\p{L}*|(?:increase|raise|add|more) (?:the )?brightness/giu,
    "ярче",
  ],
  [
    /(?<!\p{L})(?:уменьш\p{L}*|убав\p{L}*|пони[зж]\p{L}*) яркост\p{L}*|(?:decrease|reduce|lower|less) (?:the )?brightness/giu,
    "темнее",
  ],
];
const CLAUSE_END = /[,;.!?\n]+|(?<!\p{L})(?:и|а|and|then|потом|затем)(?!\p{L})/giu;
/** A text on a picture has at most so many characters. */
const TEXT_MAX = 140;
/** A text that takes the place of another one, or goes, is more than a text on the picture. */
const REPLACES =
  /(?<!\p{L})(?:замен|убер|удал|стер|сотр|исправ|replace|remove|delete|erase|change|swap|fix)/iu;
const SETS_TEXT =
  /(?<!\p{L})(?:надпис|текст|напи[шс]|подпи|фраз|слов|добав|text|caption|writ|word|letter|titl|sa(?:ys|ying)|add|put)/iu;
const BELOW = /(?<!\p{L})(?:внизу|снизу|bottom|below)(?!\p{L})/iu;

/**
 * Reads an edit clause by clause in Russian and English. A clause is done when each of its words is understood;
 * every other one is left undone as a whole, since half of it would be another edit.
 */
export function editOf(prompt: string): Edit {
  const { texts: quoted, rest } = quotedIn(prompt);
  const isTextAlone = quoted.length > 0 && rest === prompt;
  const setsText = quoted.length > 0 && (isTextAlone || (SETS_TEXT.test(rest) && !REPLACES.test(rest)));
  const texts = setsText ? quoted.map(settable).filter((text) => text !== "") : [];
  const said = PHRASES.reduce(
    (text, [phrase, word]) => text.replaceAll(phrase, word),
    isTextAlone ? "" : rest,
  );
  const steps = new Set<EditStep>();
  const undone: string[] = [];
  for (const clause of said.split(CLAUSE_END)) {
    const read = readClause(clause, quoted.length > 0);
    if (read.isWhole) for (const step of read.steps) steps.add(step);
    else undone.push(clause.replaceAll(/\s+/gu, " ").trim());
  }
  const isNothingDone = steps.size === 0 && texts.length === 0;
  return {
    steps: [...steps],
    texts,
    isTextBelow: BELOW.test(rest),
    undone: undone.length > 0 && isNothingDone ? prompt.replaceAll(/\s+/gu, " ").trim() : undone.join(", "),
  };
}

function readClause(clause: string, hasTexts: boolean) {
  const words = wordsOf(clause);
  // A word that a negation takes away would turn the clause into its opposite.
  const isNegated = words.length !== (clause.match(/\p{L}+/gu)?.length ?? 0);
  const steps: EditStep[] = [];
  let isWhole = !isNegated;
  for (const word of words) {
    const [step] = found([word], STEPS);
    if (step) steps.push(step);
    else if (found([word], { filler: FILLERS, text: hasTexts ? TEXT_WORDS : "" }).length === 0)
      isWhole = false;
  }
  return { steps, isWhole };
}

/**
 * Paints the pictures that are given with what the edit asks for; several become a collage. What is not done leaves
 * them as they are, with a note that says so.
 */
export function paintEdit(
  wish: Wish,
  references: readonly Canvas[],
  size: { width: number; height: number },
  { steps, texts, isTextBelow, undone }: Edit,
): Canvas {
  const { width, height } = size;
  const canvas = createCanvas(width, height);
  const ctx = canvas.getContext("2d");
  const random = randomOfWish(wish).fork("edit");
  const surface: Surface = { canvas, ctx, width, height, unit: Math.sqrt(width * height) / 1024, random };
  ctx.save();
  if (steps.includes("mirror")) {
    ctx.translate(width, 0);
    ctx.scale(-1, 1);
  }
  const tiles = paintTiles(ctx, references, width, height);
  ctx.restore();
  ctx.save();
  // The gaps of a collage keep their white. They lie the same way when mirrored.
  ctx.beginPath();
  for (const tile of tiles) ctx.rect(tile.x, tile.y, tile.width, tile.height);
  ctx.clip();
  for (const step of steps) applyTone(surface, step);
  ctx.restore();
  if (steps.includes("winter") || steps.includes("snow")) paintSnow(surface);
  if (steps.includes("rain")) paintRain(surface);
  if (texts.length > 0) {
    const palette = paletteOf(texts.join(" "), random);
    const wording = { headline: texts.map((text) => shortened(text, TEXT_MAX)), caption: "" };
    paintWording(ctx, wording, isTextBelow ? "bottom" : "top", { ...size, palette });
  }
  if (undone !== "") paintNote(ctx, width, height, undone);
  return canvas;
}

/** How many things fall through a picture, for so many in a square one. */
const countOf = ({ width, height, unit }: Surface, count: number): number =>
  (count * width * height) / (unit * 1024) ** 2;

function paintSnow(surface: Surface): void {
  const { ctx, width, height, unit } = surface;
  const random = surface.random.fork("snow");
  for (let flake = 0; flake < countOf(surface, 640); flake++) {
    const isNear = random.chance(0.03);
    ctx.fillStyle = `rgba(250,252,255,${(isNear ? 0.2 : random.between(0.4, 0.95)).toFixed(3)})`;
    ctx.beginPath();
    const radius = unit * (isNear ? random.between(6, 16) : 0.8 + random.next() ** 4 * 4.4);
    ctx.arc(random.next() * width, random.next() * height, radius, 0, Math.PI * 2);
    ctx.fill();
  }
}

function paintRain(surface: Surface): void {
  const { ctx, width, height, unit } = surface;
  const random = surface.random.fork("rain");
  ctx.lineCap = "round";
  for (const [long, thin, count] of [
    [16, 0.7, 620],
    [34, 1, 420],
    [74, 1.5, 240],
  ] as const) {
    ctx.strokeStyle = "rgba(226,236,246,0.34)";
    ctx.lineWidth = thin * unit;
    ctx.beginPath();
    for (let drop = 0; drop < countOf(surface, count); drop++) {
      const x = random.between(-0.1, 1.1) * width;
      const y = random.between(-0.05, 1) * height;
      const size = long * unit * random.between(0.6, 1.3);
      ctx.moveTo(x, y);
      ctx.lineTo(x - size * 0.14, y + size);
    }
    ctx.stroke();
  }
}

type Layer = readonly [mode: SKRSContext2D["globalCompositeOperation"], colour: string, alpha: number];

/** Colours laid over the whole picture, the first one first. */
const LAYERS: Partial<Record<EditStep, readonly Layer[]>> = {
  grey: [["saturation", "#808080", 1]],
  sepia: [
    ["saturation", "#808080", 1],
    ["color", "#9c7a4a", 0.75],
    ["soft-light", "#f2ddb0", 0.25],
  ],
  night: [
    ["saturation", "#808080", 0.35],
    ["multiply", "#5a70b4", 1],
    ["soft-light", "#101c4a", 0.3],
  ],
  brighter: [
    ["screen", "#ffffff", 0.14],
    ["soft-light", "#ffffff", 0.4],
  ],
  darker: [["multiply", "#8a8a8a", 1]],
  warmer: [["soft-light", "#ff8a1e", 0.5]],
  colder: [["soft-light", "#1e7dff", 0.5]],
  winter: [
    ["saturation", "#808080", 0.6],
    ["soft-light", "#cfe4ff", 0.75],
    ["screen", "#b9d0ea", 0.22],
  ],
};

/** The pixels of a blurred copy for each 1024 of the picture's side: what is lost is the blur. */
const BLUR_SIDE = 150;

/** Changes the tones of all that is painted. */
function applyTone(surface: Pick<Surface, "canvas" | "ctx" | "width" | "height">, step: EditStep): void {
  const { ctx, width, height } = surface;
  if (step === "blur") {
    applyBlur(surface);
    return;
  }
  ctx.save();
  for (const [mode, colour, alpha] of LAYERS[step] ?? []) {
    ctx.globalCompositeOperation = mode;
    ctx.globalAlpha = alpha;
    ctx.fillStyle = colour;
    ctx.fillRect(0, 0, width, height);
  }
  ctx.restore();
}

function applyBlur({
  canvas,
  ctx,
  width,
  height,
}: Pick<Surface, "canvas" | "ctx" | "width" | "height">): void {
  const scale = BLUR_SIDE / Math.sqrt(width * height);
  const small = createCanvas(Math.ceil(width * scale), Math.ceil(height * scale));
  const inner = small.getContext("2d");
  inner.imageSmoothingQuality = "high";
  inner.drawImage(canvas, 0, 0, small.width, small.height);
  const soft = createCanvas(small.width, small.height);
  const out = soft.getContext("2d");
  // The sharp copy below keeps the edges opaque, where a blur mixes with the clear outside.
  out.drawImage(small, 0, 0);
  out.filter = "blur(1.6px)";
  out.drawImage(small, 0, 0);
  ctx.imageSmoothingQuality = "high";
  ctx.drawImage(soft, 0, 0, width, height);
}
