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
import type { z } from "zod";
import { hasCode } from "./errors.js";
import type { Logger } from "./logger.js";
import { makeDirectory } from "./private-files.js";

const MODE = 0o600;
/** Room for thousands of lines, freed when the disk is full. */
const RESERVE_BYTES = 256 * 1024;

/** What the lines of a spool hold: JSON of a line is what `schema` reads. */
interface SpoolLines<Line> {
  /** What the log calls a line. */
  noun: string;
  schema: z.ZodType<Line>;
  keyOf(line: Line): string;
  /** Returns what the log tells of a line. */
  eventOf(line: Line): object;
}

/**
 * Keeps what the database does not take: a JSON line for each, read by the next start. Synchronous: it works while the
 * process ends.
 */
export class Spool<Line> {
  readonly #held = new Map<string, Line>();
  readonly #reserveFile: string;

  constructor(
    private readonly file: string,
    private readonly lines: SpoolLines<Line>,
  ) {
    this.#reserveFile = `${file}.reserve`;
  }

  /** Keeps room for a full disk, which is also why the database would refuse a line. */
  reserve(): void {
    if (existsSync(this.#reserveFile)) return;
    makeDirectory(dirname(this.file));
    writeDurably(this.#reserveFile, "w", Buffer.alloc(RESERVE_BYTES, "x"));
  }

  hold(line: Line): void {
    this.#held.set(this.lines.keyOf(line), line);
  }

  release(key: string): void {
    this.#held.delete(key);
  }

  /** Saves what is held when the process ends without knowing whether the database has it. Never throws. */
  saveHeld(logger: Logger): void {
    for (const line of this.#held.values()) this.saveOrLog(line, logger);
  }

  /** Saves a line, and logs it in any case. Never throws. */
  saveOrLog(line: Line, logger: Logger): void {
    const { noun } = this.lines;
    const event = this.lines.eventOf(line);
    try {
      this.save(line);
      logger.error(event, `${noun} not written to the database, kept in the spool`);
    } catch (error) {
      logger.error({ ...event, err: error }, `${noun} neither written to the database nor to the spool`);
    }
  }

  /** Saves a line, which is on the disk when this returns. */
  save(line: Line): void {
    const text = JSON.stringify(line);
    makeDirectory(dirname(this.file));
    try {
      this.#append(text);
    } catch (error) {
      if (!hasCode(error, "ENOSPC")) throw error;
      rmSync(this.#reserveFile, { force: true });
      this.#append(text);
    }
  }

  /** Reads what was saved. `unreadable`: lines that a crash has cut. */
  read(): { kept: Line[]; unreadable: string[] } {
    const kept: Line[] = [];
    const unreadable: string[] = [];
    for (const text of this.#texts()) {
      const line = this.#read(text);
      if (line) kept.push(line);
      else unreadable.push(text);
    }
    return { kept, unreadable };
  }

  /** Removes a line, and those that cannot be read. The file goes with the last one. */
  forget(key: string): void {
    const left = this.read().kept.filter((line) => this.lines.keyOf(line) !== key);
    if (left.length === 0) return void rmSync(this.file, { force: true });
    const draft = `${this.file}.new`;
    writeDurably(draft, "w", left.map((line) => `${JSON.stringify(line)}\n`).join(""));
    renameSync(draft, this.file);
    syncDirectory(this.file);
  }

  #append(text: string): void {
    writeDurably(this.file, "a", `\n${text}\n`);
    syncDirectory(this.file);
  }

  #texts(): string[] {
    try {
      return readFileSync(this.file, "utf8").split("\n").filter(Boolean);
    } catch (error) {
      if (hasCode(error, "ENOENT")) return [];
      throw error;
    }
  }

  #read(text: string): Line | undefined {
    try {
      return this.lines.schema.parse(JSON.parse(text));
    } catch {
      return undefined;
    }
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
