import { readFile } from "node:fs/promises";
import { createCanvas, type Image } from "@napi-rs/canvas";
import { z } from "zod";
import { sniffPicture } from "../../../media/file-type.js";
import { readMediaFacts } from "../../../media/media-facts.js";
import { hasPictureEnd } from "../../../media/picture-end.js";
import { reasonOf } from "../../../platform/reason-of.js";
import type { GeneratedFile } from "../../../ports/provider.js";
import { decodePicture, releasePicture } from "../../local/decode-picture.js";
import { GenerationError } from "../../local/generation-error.js";
import { failureReply, type Reply } from "../../local/protocol.js";
import { store } from "../../local/store.js";

/** Quality of the lossy WebP, 0 to 100. */
const WEBP_QUALITY = 90;

const task = z.object({
  kind: z.enum(["image", "video", "audio"]),
  /** The downloaded file, which is left as it is. */
  source: z.string(),
  /** Where a converted picture goes. */
  target: z.string(),
});
export type FileTask = z.infer<typeof task>;

/** Never rejects. */
export function replyTo(message: unknown): Promise<Reply> {
  return prepareFile(message)
    .then((file): Reply => ({ kind: "done", files: [file] }))
    .catch(failureReply);
}

/**
 * Judges a downloaded file by its bytes, and makes a WebP of a picture. Runs in a process of its own.
 * @throws GenerationError `reference` for a file that is not of its kind or is damaged
 */
export async function prepareFile(message: unknown): Promise<GeneratedFile> {
  const { kind, source, target } = task.parse(message);
  return kind === "image" ? await preparePicture(source, target) : await prepareTrack(kind, source);
}

async function preparePicture(source: string, target: string): Promise<GeneratedFile> {
  const bytes = await readFile(source);
  const mime = sniffPicture(bytes);
  if (mime === undefined) throw unreadable("it is no PNG, JPEG or WebP picture");
  if (!hasPictureEnd(bytes, mime)) throw unreadable("its end is missing");
  const image = await decodePicture(bytes).catch((error: unknown) => {
    throw unreadable(reasonOf(error));
  });
  const { naturalWidth: width, naturalHeight: height } = image;
  const isMade = mime === "image/webp";
  if (!isMade) await store(target, encode(image));
  releasePicture(image);
  return {
    path: isMade ? source : target,
    mime: "image/webp",
    width,
    height,
    ...(!isMade && { original: { path: source, mime } }),
  };
}

function encode(image: Image): Buffer {
  const canvas = createCanvas(image.naturalWidth, image.naturalHeight);
  canvas.getContext("2d").drawImage(image, 0, 0);
  return canvas.encodeSync("webp", WEBP_QUALITY);
}

async function prepareTrack(expected: "video" | "audio", source: string): Promise<GeneratedFile> {
  const facts = await readMediaFacts(source);
  if (!facts) throw unreadable("it is no video or audio file, or not a whole one");
  const { kind, ...file } = facts;
  if (kind !== expected) throw unreadable(`it is ${kind}, not ${expected}`);
  return { path: source, ...file };
}

function unreadable(reason: string): GenerationError {
  return new GenerationError("reference", reason);
}
