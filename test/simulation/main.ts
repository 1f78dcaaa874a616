import { once } from "node:events";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { Command, InvalidArgumentError, Option } from "commander";
import { addMoves, tableOf } from "./moves.js";
import { runSeeds, type Seeds, type Summary } from "./run-seeds.js";
import { WAYS, type Way } from "./way.js";

interface Options {
  seeds: number;
  from: number;
  workers: number;
  way?: Way;
}

if (isMainThread) await runAll();
else parentPort?.postMessage(await runSeeds(workerData as Seeds));

/** `npm run simulate -- --seeds N --from S`: worlds from their seeds, each judged when it has come to rest. */
async function runAll(): Promise<void> {
  const { seeds, from, workers, way } = new Command("simulate")
    .option("--seeds <count>", "how many", positive, 100)
    .option("--from <seed>", "the first one", positive, 1)
    .option("--workers <count>", "threads", positive, 1)
    .addOption(new Option("--way <way>", "the seeds decide by default").choices(WAYS))
    .parse()
    .opts<Options>();
  const begunAt = performance.now();
  const threads = Array.from({ length: workers }, (_, place) =>
    inThread({ from: from + place, to: from + seeds, step: workers, way }),
  );
  const all = await Promise.all(threads);
  const sum = (of: (one: Summary) => number) => all.reduce((total, one) => total + of(one), 0);
  const seconds = (performance.now() - begunAt) / 1000;
  const failed = sum((one) => one.failed);
  const tasks = sum((one) => one.tasks);
  const crashes = sum((one) => one.crashes);
  const figures = `${seeds} seeds, ${failed} failed; ${tasks} tasks, ${crashes} crashes`;
  process.stdout.write(`${tableOf(addMoves(all.map((one) => one.moves)))}\n`);
  process.stdout.write(`${figures}, ${seconds.toFixed(1)} s\n`);
  process.exit(failed === 0 ? 0 : 1);
}

async function inThread(seeds: Seeds): Promise<Summary> {
  const [summary] = await once(new Worker(new URL(import.meta.url), { workerData: seeds }), "message");
  return summary as Summary;
}

function positive(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError("a number from 1 on");
  return number;
}
