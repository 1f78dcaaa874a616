import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { GenerationTask } from "../../src/jobs/provider.js";
import type { GeneratedFile } from "../../src/workers/worker-pool.js";
import { makePicture } from "./picture.js";

export const CLIP = { width: 128, height: 72, durationSec: 2 };
/** Seconds of the first track; each further one is a second longer. */
export const TRACK_SEC = 1;
export const COVER_SIDE = 160;

/** What a stub provider makes where people look at the result: true files that play. */
export function makeResults(task: GenerationTask): Promise<GeneratedFile[]> {
  switch (task.request.type) {
    case "image":
      return makePicture(task);
    case "video":
      return makeClip(task);
    case "music":
      return makeSong(task);
  }
}

async function makeClip({ directory }: GenerationTask): Promise<GeneratedFile[]> {
  // Loaded by the tests that need it only: the encoders are large.
  const { makeMp4 } = await import("./media.js");
  const path = join(directory, "clip.mp4");
  await writeFile(path, await makeMp4(CLIP.width, CLIP.height, CLIP.durationSec));
  return [{ path, mime: "video/mp4", ...CLIP }];
}

/** As many tracks as were asked for, each with a cover. */
async function makeSong({ directory, tracks, request }: GenerationTask): Promise<GeneratedFile[]> {
  const { makeJpeg, makeMp3 } = await import("./media.js");
  const files: GeneratedFile[] = [];
  for (let number = 1; number <= tracks; number += 1) {
    const durationSec = TRACK_SEC + number - 1;
    const path = join(directory, `${number}.mp3`);
    const cover = join(directory, `${number}.jpg`);
    await writeFile(path, await makeMp3(durationSec, 220 * number));
    await writeFile(cover, makeJpeg(COVER_SIDE));
    const title = typeof request.title === "string" ? { title: request.title } : {};
    files.push({ path, mime: "audio/mpeg", durationSec, ...title });
    files.push({ path: cover, mime: "image/jpeg", width: COVER_SIDE, height: COVER_SIDE });
  }
  return files;
}
