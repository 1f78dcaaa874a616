import { addMoves, type Moves } from "./moves.js";
import { simulate, type Verdict } from "./simulate.js";
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

/** The verdict of the fewest first acts that still fail: where they go wrong together, fewer are easier to read. */
async function shortest(failed: Verdict): Promise<Verdict> {
  let [most, least] = [failed.acts, 0];
  let found = failed;
  while (least < most) {
    const middle = Math.floor((least + most) / 2);
    const verdict = await simulate(failed.seed, { way: failed.way, actsMax: middle });
    if (verdict.wrong.length > 0) [most, found] = [middle, verdict];
    else least = middle + 1;
  }
  return found;
}
