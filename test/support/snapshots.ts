import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { newFolder } from "./new-folder.js";

export interface Snapshot {
  failPoint: string;
  directory: string;
}

/** Copies of a data directory at fail points: what the disk holds when the process is killed there. Gone with the test. */
export class Snapshots {
  readonly taken: Snapshot[] = [];
  readonly #root = newFolder();

  constructor() {
    onTestFinished(() => rmSync(this.#root, { recursive: true, force: true }));
  }

  take(failPoint: string, from: string): void {
    const directory = join(this.#root, `${this.taken.length}`);
    cpSync(from, directory, { recursive: true });
    this.taken.push({ failPoint, directory });
  }
}
