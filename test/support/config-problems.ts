import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigError, readConfig } from "../../src/config.js";

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
  const file = join(mkdtempSync(join(tmpdir(), "atelier-secret-")), "secret");
  writeFileSync(file, content);
  return file;
}
