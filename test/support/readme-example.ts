import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Writes the README's catalogue of an own ComfyUI workflow with the workflow that it names, and returns its file. */
export function readmeExample(): string {
  const [, example = ""] =
    /`own\/catalogue\.json` is this, whole:\n\n(.*?)\n\n {2}\S/s.exec(readFileSync("README.md", "utf8")) ??
    [];
  const folder = mkdtempSync(join(tmpdir(), "atelier-own-"));
  const file = join(folder, "catalogue.json");
  writeFileSync(file, example);
  mkdirSync(join(folder, "workflows"));
  copyFileSync("data/workflows/z-image-turbo.json", join(folder, "workflows/mine.json"));
  return file;
}
