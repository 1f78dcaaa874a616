import { Command, InvalidArgumentError, Option } from "commander";
import { shortest } from "./shortest.js";
import { simulate } from "./simulate.js";
import { WAYS, type Way } from "./way.js";

/** `npm run simulate -- --seeds N --from S --way WAY`: worlds from their seeds, each judged when it has come to rest. */
const { seeds, from, way } = new Command("simulate")
  .option("--seeds <count>", "how many", positive, 100)
  .option("--from <seed>", "the first one", positive, 1)
  .addOption(new Option("--way <way>", "the seeds decide by default").choices(WAYS))
  .parse()
  .opts<{ seeds: number; from: number; way?: Way }>();

const begunAt = performance.now();
let tasks = 0;
let crashes = 0;
const failed: number[] = [];
for (let seed = from; seed < from + seeds; seed += 1) {
  const verdict = await simulate(seed, { way });
  tasks += verdict.tasks;
  crashes += verdict.crashes;
  if (verdict.wrong.length === 0) continue;
  failed.push(seed);
  const { history, wrong } = await shortest(verdict);
  process.stdout.write(
    `seed ${seed}:\n  ${[...history, ...wrong.map((line) => `WRONG ${line}`)].join("\n  ")}\n`,
  );
}
const seconds = (performance.now() - begunAt) / 1000;
process.stdout.write(
  `${seeds} seeds, ${failed.length} failed; ${tasks} tasks, ${crashes} crashes, ${seconds.toFixed(1)} s\n`,
);
process.exit(failed.length === 0 ? 0 : 1);

function positive(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError("a number from 1 on");
  return number;
}
