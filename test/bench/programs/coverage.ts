import { Session } from "node:inspector/promises";
import Sqlite from "better-sqlite3";

/** Loaded before a program: tells its parent, when asked, what has run since it last asked. */
export interface Ran {
  /** Address of a file → how many of its functions were called, and how often. A file that was only loaded is absent. */
  files: Record<string, { functions: number; calls: number }>;
  /** Statements as SQLite gets them. */
  commits: number;
  reads: number;
}

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

let commits = 0;
let reads = 0;
const probe = new Sqlite(":memory:");
const statement = Object.getPrototypeOf(probe.prepare("SELECT 1")) as Sqlite.Statement;
probe.close();
for (const name of ["run", "get", "all"] as const) {
  const original = statement[name] as (...parameters: unknown[]) => unknown;
  Object.assign(statement, {
    [name](this: Sqlite.Statement, ...parameters: unknown[]) {
      // A snapshot of reads ends with one too.
      if (/^\s*COMMIT/i.test(this.source)) commits += this.database.readonly ? 0 : 1;
      else if (/^\s*SELECT/i.test(this.source)) reads += 1;
      return original.apply(this, parameters);
    },
  });
}

async function ran(): Promise<Ran> {
  // A take begins a new count.
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const files: Ran["files"] = {};
  for (const { url, functions } of result) {
    // The function that starts where the file does is the file itself.
    const called = functions.flatMap(({ ranges: [whole] }) =>
      whole && whole.startOffset > 0 && whole.count > 0 ? [whole.count] : [],
    );
    if (called.length > 0)
      files[url] = { functions: called.length, calls: called.reduce((sum, count) => sum + count, 0) };
  }
  const answer = { files, commits, reads };
  commits = 0;
  reads = 0;
  return answer;
}

process.on("message", (wish: unknown) => {
  if (wish === "what ran") void ran().then((answer) => process.send?.(answer));
});
