import { writeFile } from "node:fs/promises";
import { GenerationFailed } from "./generation-failed.js";

/** @throws GenerationFailed `storage` when the file cannot be written */
export async function store(path: string, bytes: Uint8Array): Promise<void> {
  try {
    await writeFile(path, bytes);
  } catch (error) {
    throw new GenerationFailed("storage", "the result cannot be written", { cause: error });
  }
}
