import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { GenerationTask } from "../../src/jobs/provider.js";
import type { GeneratedFile } from "../../src/workers/worker-pool.js";

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
export function markedWebp(mark: string): Buffer {
  return Buffer.concat([WEBP, Buffer.from(mark)]);
}

/** What a stub provider makes where a strict server looks at the picture. */
export async function makePicture(task: GenerationTask): Promise<GeneratedFile[]> {
  const path = join(task.directory, "picture.webp");
  await writeFile(path, markedWebp(`${task.model} ${task.seed}`));
  return [{ path, mime: "image/webp", width: 64, height: 32 }];
}
