import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { SECOND_MS } from "../platform/units.js";

/** A column of a chart. `marked` is the part of it that is drawn in another colour, `label` the digits below it. */
interface ChartColumn {
  value: number;
  marked: number;
  label: string;
}

export interface Chart {
  /** What the highest column stands for, in digits. */
  highest: string;
  columns: readonly ChartColumn[];
}

/** Draws columns without words as a PNG picture. */
export type DrawChart = (chart: Chart) => Promise<Uint8Array>;

const WORKER_FILE = fileURLToPath(new URL("./chart-worker.js", import.meta.url));
const TIMEOUT_MS = 10 * SECOND_MS;

/** Draws a chart in a child process without the service's environment. Rejects when that fails or takes too long. */
export function drawInProcess(chart: Chart, workerFile: string = WORKER_FILE): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const child = fork(workerFile, [JSON.stringify(chart)], {
      env: {},
      execArgv: [],
      stdio: ["ignore", "pipe", "ignore", "ipc"],
      timeout: TIMEOUT_MS,
      killSignal: "SIGKILL",
    });
    const chunks: Buffer[] = [];
    child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.once("error", reject);
    child.once("close", (code, signal) => {
      if (code === 0) resolve(Buffer.concat(chunks));
      else reject(new Error(`the process of the chart ended: ${signal ?? code}`));
    });
  });
}
