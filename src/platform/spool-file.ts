import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { hasCode } from "./errors.js";
import { makeDirectory } from "./private-files.js";

const MODE = 0o600;
/** Room for thousands of lines, freed when the disk is full. */
const RESERVE_BYTES = 256 * 1024;

/** Stores lines that the database does not take, for the next start. Synchronous: it works while the process ends. */
export class SpoolFile {
  readonly #reserveFile: string;

  constructor(private readonly file: string) {
    this.#reserveFile = `${file}.reserve`;
  }

  reserve(): void {
    if (existsSync(this.#reserveFile)) return;
    makeDirectory(dirname(this.file));
    writeDurably(this.#reserveFile, "w", Buffer.alloc(RESERVE_BYTES, "x"));
  }

  /** Writes a line, which is on the disk when this returns. */
  append(line: string): void {
    makeDirectory(dirname(this.file));
    try {
      this.#append(line);
    } catch (error) {
      if (!hasCode(error, "ENOSPC")) throw error;
      rmSync(this.#reserveFile, { force: true });
      this.#append(line);
    }
  }

  lines(): string[] {
    try {
      return readFileSync(this.file, "utf8").split("\n").filter(Boolean);
    } catch (error) {
      if (hasCode(error, "ENOENT")) return [];
      throw error;
    }
  }

  /** Replaces all lines. Removes the file when there are none. */
  replace(lines: readonly string[]): void {
    if (lines.length === 0) {
      rmSync(this.file, { force: true });
      return;
    }
    const draft = `${this.file}.new`;
    writeDurably(draft, "w", lines.map((line) => `${line}\n`).join(""));
    renameSync(draft, this.file);
    syncDirectory(this.file);
  }

  #append(line: string): void {
    writeDurably(this.file, "a", `\n${line}\n`);
    syncDirectory(this.file);
  }
}

function writeDurably(file: string, flags: "a" | "w", content: string | Buffer): void {
  const handle = openSync(file, flags, MODE);
  try {
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    for (let written = 0; written < bytes.length; ) written += writeSync(handle, bytes, written);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function syncDirectory(file: string): void {
  const handle = openSync(dirname(file), "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
