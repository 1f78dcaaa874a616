import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder } from "./new-folder.js";

/** Writes the catalogue of an own ComfyUI workflow that docs/mappings.md shows, with that workflow, and returns its file. */
export function ownWorkflowExample(): string {
  const page = readFileSync("docs/mappings.md", "utf8");
  const [, example = ""] = /`own\/catalogue\.json`.*?```json\n(.*?)```/s.exec(page) ?? [];
  const folder = newFolder();
  const file = join(folder, "catalogue.json");
  writeFileSync(file, example);
  mkdirSync(join(folder, "workflows"));
  copyFileSync("data/workflows/z-image-turbo.json", join(folder, "workflows/mine.json"));
  return file;
}
