import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { GenerationTask } from "../../src/jobs/provider.js";
import type { GeneratedFile } from "../../src/workers/worker-pool.js";

/** The beginning of a PNG picture of 8 × 8 pixels, and bytes that nobody reads. */
export const PNG = Buffer.concat([
  Buffer.from("89504e470d0a1a0a0000000d4948445200000008000000080100000000", "hex"),
  Buffer.alloc(200, 7),
]);

/** A true WebP picture of 64 × 32 pixels. */
const WEBP = Buffer.from(
  "UklGRigCAABXRUJQVlA4WAoAAAAgAAAAPwAAHwAASUNDUMgBAAAAAAHIAAAAAAQwAABtbnRyUkdCIFhZWiAH4AABAAEAAAAAAABhY3NwAAAAAAAAAAAAAAAA" +
    "AAAAAAAAAAAAAAAAAAAAAQAA9tYAAQAAAADTLQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAlkZXNjAAAA" +
    "8AAAACRyWFlaAAABFAAAABRnWFlaAAABKAAAABRiWFlaAAABPAAAABR3dHB0AAABUAAAABRyVFJDAAABZAAAAChnVFJDAAABZAAAAChiVFJDAAABZAAA" +
    "AChjcHJ0AAABjAAAADxtbHVjAAAAAAAAAAEAAAAMZW5VUwAAAAgAAAAcAHMAUgBHAEJYWVogAAAAAAAAb6IAADj1AAADkFhZWiAAAAAAAABimQAAt4UA" +
    "ABjaWFlaIAAAAAAAACSgAAAPhAAAts9YWVogAAAAAAAA9tYAAQAAAADTLXBhcmEAAAAAAAQAAAACZmYAAPKnAAANWQAAE9AAAApbAAAAAAAAAABtbHVj" +
    "AAAAAAAAAAEAAAAMZW5VUwAAACAAAAAcAEcAbwBvAGcAbABlACAASQBuAGMALgAgADIAMAAxADZWUDggOgAAAHADAJ0BKkAAIAA+7Xa0VCmnJSMkCAEw" +
    "HYlnANGugAAgjSRhoAD+2ib+RSLGVv4bVWTLtFhVYEAAAAA=",
  "base64",
);

/** A small picture that viewers accept; `mark` stands behind its last chunk, where they do not look. */
export function markedWebp(mark: string | Buffer): Buffer {
  return Buffer.concat([WEBP, Buffer.from(mark)]);
}

/** What a stub provider makes where a strict server looks at the picture. */
export async function makePicture(task: GenerationTask): Promise<GeneratedFile[]> {
  const path = join(task.directory, "picture.webp");
  await writeFile(path, markedWebp(`${task.model} ${task.seed}`));
  return [{ path, mime: "image/webp", width: 64, height: 32 }];
}
