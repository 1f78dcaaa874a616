const EXTENSIONS: Readonly<Record<string, string>> = {
  "image/webp": "webp",
  "image/png": "png",
  "image/jpeg": "jpg",
  "video/mp4": "mp4",
  "video/webm": "webm",
  "video/quicktime": "mov",
  "audio/mpeg": "mp3",
  "audio/mp4": "m4a",
  "audio/aac": "aac",
  "audio/flac": "flac",
  "audio/wav": "wav",
  "audio/ogg": "ogg",
  "audio/webm": "weba",
  "audio/quicktime": "mov",
  "video/ogg": "ogv",
};

export function extensionOf(mime: string): string {
  return EXTENSIONS[mime] ?? "bin";
}

export const SNIFF_BYTES = 12;

/** Detects PNG, JPEG and WebP by the first SNIFF_BYTES; undefined for anything else. */
export function sniffPicture(head: Buffer): string | undefined {
  if (head.subarray(0, 8).equals(Buffer.from("\x89PNG\r\n\x1a\n", "latin1"))) return "image/png";
  if (head.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))) return "image/jpeg";
  const isRiff = head.toString("latin1", 0, 4) === "RIFF" && head.toString("latin1", 8, 12) === "WEBP";
  return isRiff ? "image/webp" : undefined;
}
