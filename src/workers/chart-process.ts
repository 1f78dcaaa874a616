import { fileURLToPath } from "node:url";
import { SECOND_MS } from "../platform/units.js";
import { runProgram } from "./worker-pool.js";

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

/** Draws a chart in a process of its own. Rejects when that fails or takes too long. */
export function drawInProcess(chart: Chart, workerFile: string = WORKER_FILE): Promise<Uint8Array> {
  return runProgram(workerFile, chart, TIMEOUT_MS);
}
