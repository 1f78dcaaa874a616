import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { SECOND_MS } from "../platform/units.js";

/** A column of a chart. `marked` is the part of it that is drawn in another colour. */
export interface ChartBar {
  value: number;
  marked: number;
}

/** Draws columns without words as a PNG picture. */
export type DrawChart = (bars: readonly ChartBar[]) => Promise<Uint8Array>;

const WORKER_FILE = fileURLToPath(new URL("./chart-worker.js", import.meta.url));
const TIMEOUT_MS = 10 * SECOND_MS;

/** Draws a chart in a child process without the service's environment. Rejects when that fails or takes too long. */
export function drawInProcess(
  bars: readonly ChartBar[],
  workerFile: string = WORKER_FILE,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const child = fork(workerFile, [JSON.stringify(bars)], {
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
