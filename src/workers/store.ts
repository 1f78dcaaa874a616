import { writeFile } from "node:fs/promises";
import { GenerationError } from "./generation-error.js";

/** Writes a file. Throws GenerationError `storage`. */
export async function store(path: string, bytes: Uint8Array): Promise<void> {
  try {
    await writeFile(path, bytes);
  } catch (error) {
    throw new GenerationError("storage", "the result cannot be written", { cause: error });
  }
}
