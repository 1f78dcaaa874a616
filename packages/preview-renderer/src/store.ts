import { writeFile } from "node:fs/promises";
import { RenderError } from "./render-error.js";

/** @throws RenderError `storage` when the file cannot be written */
export async function store(path: string, bytes: Uint8Array): Promise<void> {
  try {
    await writeFile(path, bytes);
  } catch (error) {
    throw new RenderError("storage", "the result cannot be written", { cause: error });
  }
}
