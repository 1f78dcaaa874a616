import { z } from "zod";

const sides = { width: z.number(), height: z.number() };

/** What a result is; its bytes are made when they are asked for. */
export const fileSpecSchema = z.discriminatedUnion("kind", [
  z.object({
    id: z.string(),
    kind: z.literal("image"),
    format: z.enum(["png", "jpeg", "webp"]),
    ...sides,
    about: z.string(),
  }),
  z.object({
    id: z.string(),
    kind: z.literal("video"),
    format: z.literal("mp4"),
    ...sides,
    durationSec: z.number(),
    about: z.string(),
  }),
  z.object({
    id: z.string(),
    kind: z.literal("audio"),
    format: z.literal("mp3"),
    durationSec: z.number(),
    about: z.string(),
    title: z.string(),
  }),
]);

export type FileSpec = z.infer<typeof fileSpecSchema>;
export type ImageSpec = Extract<FileSpec, { kind: "image" }>;
export type VideoSpec = Extract<FileSpec, { kind: "video" }>;
export type AudioSpec = Extract<FileSpec, { kind: "audio" }>;

const MIMES = {
  png: "image/png",
  jpeg: "image/jpeg",
  webp: "image/webp",
  mp4: "video/mp4",
  mp3: "audio/mpeg",
} as const;

export function mimeOf({ format }: FileSpec): string {
  return MIMES[format];
}

export function extensionOf({ format }: FileSpec): string {
  return format === "jpeg" ? "jpg" : format;
}
