import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigError, readConfig } from "../../src/config.js";
import { newFolder } from "./new-folder.js";

export function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

export function secretFile(content: string): string {
  const file = join(newFolder(), "secret");
  writeFileSync(file, content);
  return file;
}
