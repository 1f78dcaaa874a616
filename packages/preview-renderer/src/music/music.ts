import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Random, randomOf } from "../random.js";
import { RenderError } from "../render-error.js";
import type { RenderedFile, RenderTask } from "../task.js";
import { type Brief, briefOf } from "./brief.js";
import { COVER_SIDE, coverOf } from "./cover.js";
import { id3Of } from "./id3.js";
import { framesOf, secondsOf, writeMp3 } from "./mp3.js";
import { type Plan, planOf } from "./plan.js";
import { compose } from "./score/compose.js";
import { singingSeconds } from "./score/form.js";
import type { Score } from "./score/score.js";
import { master } from "./synth/master.js";
import { mixdown } from "./synth/mixer.js";
import { titleOf } from "./title.js";

const ARTIST = "Atelier (local preview)";
const COMMENT = "local preview: made by the local renderer, not by the model";
/** Tracks of models without a duration, in seconds; lyrics that need more get it up to a limit. */
const LENGTH_MIN = 40;
const LENGTH_MAX = 56;
const SUNG_LENGTH_MAX = 75;

/** A track before it sounds. */
export interface Track {
  brief: Brief;
  plan: Plan;
  score: Score;
  /** Exact length of the file, in seconds: whole frames of MP3, within half a frame of what was asked. */
  durationSec: number;
}

type TrackTask = Pick<RenderTask, "request" | "model" | "seed">;

/**
 * Makes the tracks of a song: for each an MP3 with its tags and then its cover.
 * @throws RenderError `storage`
 */
export async function renderMusic(task: RenderTask): Promise<RenderedFile[]> {
  const files: RenderedFile[] = [];
  for (let track = 0; track < task.tracks; track++) files.push(...(await renderTrack(task, track)));
  return files;
}

/**
 * Writes one track. The same request and seed give the same track.
 * @param index 0 for the first; the second differs in key, tempo, chords and instruments
 */
export function writeTrack({ request, model, seed }: TrackTask, index: number): Track {
  const brief = briefOf(request);
  const random = randomOf(`${seed}\n${model}\n${index}\n${brief.subject}`);
  const plan = planOf(brief, random, index);
  const frames = framesOf(brief.durationSec ?? freeLength(brief, random));
  // One frame is the encoder's own.
  const score = compose(brief, plan, random, secondsOf(frames - 1));
  return { brief, plan, score, durationSec: secondsOf(frames) };
}

function freeLength({ lyrics, hasVoice }: Brief, random: Random): number {
  const own = random.fork("length").between(LENGTH_MIN, LENGTH_MAX);
  return lyrics && hasVoice ? Math.max(own, Math.min(SUNG_LENGTH_MAX, singingSeconds(lyrics))) : own;
}

async function renderTrack(task: RenderTask, index: number): Promise<RenderedFile[]> {
  const { brief, plan, score, durationSec } = writeTrack(task, index);
  const title = titleOf(brief, index, task.tracks);
  const cover = coverOf(`${brief.subject}\n${brief.style}`, title, task.model, task.seed + index);
  const tag = id3Of({
    title,
    artist: ARTIST,
    comment: COMMENT,
    genre: brief.style,
    bpm: plan.bpm,
    durationMs: durationSec * 1000,
    ...(brief.lyrics === undefined ? {} : { lyrics: brief.lyrics }),
    language: /\p{Script=Cyrillic}/u.test(brief.subject) ? "rus" : "eng",
    cover,
  });
  const path = join(task.directory, `track-${index + 1}.mp3`);
  const coverPath = join(task.directory, `cover-${index + 1}.jpg`);
  try {
    await writeMp3(path, tag, master(mixdown(score)));
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
