import { CatalogueError } from "../../../src/catalogue/catalogue.js";

/** What reading a catalogue refuses. */
export function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof CatalogueError) return error.problems;
    throw error;
  }
  return [];
}
