import { addMoves, type Moves } from "./moves.js";
import { shortest } from "./shortest.js";
import { simulate } from "./simulate.js";
import type { Way } from "./way.js";

/** Which seeds a thread runs: from the first one, each `step`th, before the last one. */
export interface Seeds {
  from: number;
  to: number;
  step: number;
  way?: Way | undefined;
}

export interface Summary {
  failed: number;
  tasks: number;
  crashes: number;
  moves: Moves;
}

/** Runs a world of each seed. What went wrong is printed with its shortest history. */
export async function runSeeds({ from, to, step, way }: Seeds): Promise<Summary> {
  const summary: Summary = { failed: 0, tasks: 0, crashes: 0, moves: {} };
  for (let seed = from; seed < to; seed += step) {
    const verdict = await simulate(seed, { way });
    summary.tasks += verdict.tasks;
    summary.crashes += verdict.crashes;
    summary.moves = addMoves([summary.moves, verdict.moves]);
    if (verdict.wrong.length === 0) continue;
    summary.failed += 1;
    const { history, wrong } = await shortest(verdict);
    const lines = [`${verdict.way} ${seed}:`, ...history, ...wrong.map((line) => `WRONG ${line}`)];
    process.stdout.write(`${lines.join("\n  ")}\n`);
  }
  return summary;
}
