import { Session } from "node:inspector/promises";

/** Loaded before a program: tells its parent, when asked, which files have had a function called since it last asked. */
export interface CalledFiles {
  /** Addresses of files. A file that was only loaded is none of them. */
  called: string[];
}

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

async function calledFiles(): Promise<string[]> {
  // A take begins a new count.
  const { result } = await session.post("Profiler.takePreciseCoverage");
  return result.filter(({ functions }) => functions.some(isCalled)).map(({ url }) => url);
}

/** The function that starts where the file does is the file itself. */
function isCalled({ ranges: [whole] }: { ranges: { startOffset: number; count: number }[] }): boolean {
  return whole !== undefined && whole.startOffset > 0 && whole.count > 0;
}

process.on("message", (wish: unknown) => {
  if (wish !== "called files") return;
  void calledFiles().then((called) => process.send?.({ called } satisfies CalledFiles));
});
