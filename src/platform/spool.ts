import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { z } from "zod";
import { hasCode } from "./errors.js";
import type { Logger } from "./logger.js";
import { makeDirectory, syncPath } from "./private-files.js";

const DURABLY = { mode: 0o600, flush: true };
/** Room for thousands of lines, freed when the disk is full. */
const RESERVE_BYTES = 256 * 1024;

/** What the lines of a spool hold: JSON of a line is what `schema` reads. */
interface SpoolLines<Line extends object> {
  /** What the log calls a line. */
  noun: string;
  schema: z.ZodType<Line>;
  keyOf(line: Line): string;
}

/**
 * Keeps what the database does not take: a JSON line for each, read by the next start. Synchronous: it works while the
 * process ends.
 */
export class Spool<Line extends object> {
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
    // A full disk leaves a part of it.
    if (statSync(this.#reserveFile, { throwIfNoEntry: false })?.size === RESERVE_BYTES) return;
    makeDirectory(dirname(this.file));
    writeFileSync(this.#reserveFile, Buffer.alloc(RESERVE_BYTES, "x"), DURABLY);
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
    const event: object = { ...line };
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

  /** Reads what was saved, and logs what cannot be read. Never throws. */
  readOrLog(logger: Logger): Line[] {
    const { noun } = this.lines;
    try {
      const { kept, unreadable } = this.read();
      for (const line of unreadable) logger.error({ line }, `spooled ${noun} cannot be read`);
      return kept;
    } catch (error) {
      logger.error({ err: error }, `spool of ${noun}s cannot be read`);
      return [];
    }
  }

  /** Removes a line, and those that cannot be read. The file goes with the last one. */
  forget(key: string): void {
    const left = this.read().kept.filter((line) => this.lines.keyOf(line) !== key);
    if (left.length === 0) return void rmSync(this.file, { force: true });
    const draft = `${this.file}.new`;
    writeFileSync(draft, left.map((line) => `${JSON.stringify(line)}\n`).join(""), DURABLY);
    renameSync(draft, this.file);
    syncPath(dirname(this.file));
  }

  #append(text: string): void {
    writeFileSync(this.file, `\n${text}\n`, { ...DURABLY, flag: "a" });
    syncPath(dirname(this.file));
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
