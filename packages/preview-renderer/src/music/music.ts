import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createCanvas } from "@napi-rs/canvas";
import { paintPoster } from "../image.js";
import { randomOf } from "../random.js";
import { RenderError, type RenderedFile, type RenderTask, type Wish } from "../task.js";
import { paintLabel, settable } from "../type.js";
import { capitalised, shortened } from "../words.js";
import { type Brief, briefOf, compose } from "./compose.js";
import { played, type Score } from "./mix.js";
import { FRAME_SAMPLES, id3Of, writeMp3 } from "./mp3.js";
import { SAMPLE_RATE, type Stereo } from "./synth.js";

const ARTIST = "Atelier (local preview)";
const COMMENT = "local preview: made by the local renderer, not by the model";
/** Tracks of models without a duration, in seconds; lyrics that need more get it up to a limit. */
const LENGTH_MIN = 40;
const LENGTH_MAX = 56;
const SUNG_LENGTH_MAX = 75;
const LINE_SECONDS = 3.2;
/** Each side in pixels, as Telegram wants the thumbnail of a track. */
const COVER_SIDE = 320;
const COVER_QUALITY = 88;

/**
 * Makes the tracks of a song: for each an MP3 with its tags and then its cover.
 * @throws RenderError `storage`
 */
export async function renderMusic(task: RenderTask): Promise<RenderedFile[]> {
  const files: RenderedFile[] = [];
  for (let track = 0; track < task.tracks; track++) files.push(...(await renderTrack(task, track)));
  return files;
}

/** A track before it sounds. */
interface Track {
  brief: Brief;
  score: Score & { bpm: number };
  /** Exact length of the file, in seconds: whole frames of MP3, within half a frame of what was asked. */
  durationSec: number;
}

/** Writes one track. The same wish gives the same track. @param index 0 for the first */
export function writeTrack({ request, model, seed }: Wish, index: number): Track {
  const brief = briefOf(request);
  const random = randomOf(`${seed}\n${model}\n${index}\n${brief.subject}`);
  const lines = brief.lyrics?.split("\n").filter((line) => /\p{L}/u.test(line)).length ?? 0;
  const free = Math.max(
    random.fork("length").between(LENGTH_MIN, LENGTH_MAX),
    Math.min(SUNG_LENGTH_MAX, lines * LINE_SECONDS),
  );
  const frames = Math.max(2, Math.round(((brief.durationSec ?? free) * SAMPLE_RATE) / FRAME_SAMPLES));
  const secondsOf = (count: number): number => (count * FRAME_SAMPLES) / SAMPLE_RATE;
  // One frame is the encoder's own.
  const score = compose(brief, random, secondsOf(frames - 1), index);
  return { brief, score, durationSec: secondsOf(frames) };
}

async function renderTrack(task: RenderTask, index: number): Promise<RenderedFile[]> {
  const { brief, score, durationSec } = writeTrack(task, index);
  const title = titleOf(brief);
  const cover = coverOf(task, brief, title, index);
  const tag = id3Of({
    title,
    track: `${index + 1}/${task.tracks}`,
    artist: ARTIST,
    comment: COMMENT,
    genre: brief.style,
    bpm: score.bpm,
    durationMs: durationSec * 1000,
    ...(brief.lyrics === undefined ? {} : { lyrics: brief.lyrics }),
    language: /\p{Script=Cyrillic}/u.test(brief.subject) ? "rus" : "eng",
    cover,
  });
  const path = join(task.directory, `track-${index + 1}.mp3`);
  const coverPath = join(task.directory, `cover-${index + 1}.jpg`);
  try {
    await writeMp3(path, tag, played(score));
    await writeFile(coverPath, cover);
  } catch (error) {
    // What the file system refused says which call it was; anything else is a fault of ours.
    if (!(error instanceof Error && "syscall" in error)) throw error;
    throw new RenderError("storage", "the track cannot be written", { cause: error });
  }
  return [
    { path, mime: "audio/mpeg", durationSec, title },
    { path: coverPath, mime: "image/jpeg", width: COVER_SIDE, height: COVER_SIDE },
  ];
}

/** The sound of a video: calm music of the prompt's mood, exactly so long. */
export function soundtrackOf({ request, model, seed }: Wish, durationSec: number): Stereo {
  const prompt = request.prompt ?? "";
  const brief = briefOf({ type: "music", model_key: model, description: prompt });
  const calm = { ...brief, style: "ambient", bpm: undefined, hasVoice: false } as const;
  const random = randomOf(`${seed}\n${model}\n${prompt}`).fork("soundtrack");
  const [left, right] = played(compose(calm, random, durationSec, 0));
  const quiet = (side: Float32Array): Float32Array => side.map((sample) => sample * 0.55);
  return [quiet(left), quiet(right)];
}

/** A line that only names a part of the song. */
const HEADER = /^\s*(?:\[[^\]]*\]|\p{L}[\p{L}\s\d-]{2,20}:)\s*$/u;
/** Limits a title that is drawn from other texts, and every title in code points. */
const DRAWN_MAX = 40;
const TITLE_MAX = 120;

/**
 * The title of every track: the request's, else the first words of the description or lyrics. At most 120 code
 * points.
 */
export function titleOf({ title, subject }: Pick<Brief, "title" | "subject">): string {
  const name = title ?? drawnTitle(subject) ?? "Untitled";
  return [...name].slice(0, TITLE_MAX).join("").trimEnd();
}

/** The first words of a text, up to a comma or the end of a sentence. */
function drawnTitle(text: string): string | undefined {
  const line = text.split(/\r?\n/).find((one) => /[\p{L}\p{N}]/u.test(one) && !HEADER.test(one)) ?? "";
  const plain = line
    .slice(0, 500)
    .replace(/\[[^\]]*\]/gu, " ")
    .replace(/[\p{C}\s]+/gu, " ")
    .trim();
  const [phrase = plain] = plain.split(/(?<=[.!?…])\s|[,;:]\s|\s[–—-]\s/u);
  const drawn = shortened(phrase.replace(/[\s.,;:–—-]+$/u, ""), DRAWN_MAX);
  return drawn === "" ? undefined : capitalised(drawn);
}

/** Painted larger, so that fine things stay smooth. */
const PAINTED_SIDE = COVER_SIDE * 2;
const LYRICS_ON_COVER_MAX = 90;

/** Paints the cover of a track: its title over art that its words colour, with its first lyrics, and the label. */
function coverOf(
  { model, seed }: Wish,
  { subject, style, lyrics }: Brief,
  title: string,
  index: number,
): Buffer {
  const wish: Wish = {
    request: { type: "music", model_key: model, prompt: `${subject.slice(0, 2000)}\n${style}` },
    model,
    seed: seed + index,
  };
  const sung = (lyrics ?? "")
    .split("\n")
    .filter((line) => !HEADER.test(line) && !title.includes(line.trim()));
  const wording = {
    headline: [settable(title)].filter((text) => text !== ""),
    caption: settable(sung.slice(0, 4).join(" / ")).slice(0, LYRICS_ON_COVER_MAX),
  };
  const size = { width: PAINTED_SIDE, height: PAINTED_SIDE };
  const poster = paintPoster(wish, wish.request.prompt ?? "", size, true, { ...wording, scale: 1.5 });
  const canvas = createCanvas(COVER_SIDE, COVER_SIDE);
  const ctx = canvas.getContext("2d");
  ctx.imageSmoothingQuality = "high";
  ctx.drawImage(poster, 0, 0, COVER_SIDE, COVER_SIDE);
  paintLabel(ctx, COVER_SIDE, COVER_SIDE);
  return canvas.encodeSync("jpeg", COVER_QUALITY);
}
