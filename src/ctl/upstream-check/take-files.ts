import type { Json } from "../../catalogue/json.js";
import { type Operation, readOutputs, type UpstreamFile } from "../../catalogue/operation.js";
import { reasonOf } from "../../platform/errors.js";
import type { OutputFetcher } from "../../providers/fetch-outputs.js";
import { OutputError } from "../../providers/file-inspector.js";
import type { GeneratedFile } from "../../workers/worker-pool.js";
import { type End, unmade } from "./end.js";

export interface TakeOptions {
  outputs: OutputFetcher;
  directory: string;
  say: (line: string) => void;
  signal: AbortSignal;
}

const FILES_MAX = 8;

/** Lists the files of a finished task, downloads and judges them. */
export async function takeFiles(
  { outputs, directory, say, signal }: TakeOptions,
  { output }: Pick<Operation, "output">,
  document: Json,
): Promise<End> {
  const told = readOutputs(output, document)?.slice(0, FILES_MAX);
  if (!told) return unmade(`the finished task has no file at ${output.files}`);
  const hosts = [...new Set(told.map(hostOf))].join(", ");
  say(`  ${told.length} files at ${hosts}`);
  try {
    const files = await outputs.fetch(told, directory, signal);
    for (const file of files) say(`  ${describe(file)}`);
    return { files };
  } catch (error) {
    const isForeign = error instanceof OutputError && error.fault === "forbidden_host";
    const why = isForeign ? `${hosts} is none of the adapter's file hosts` : reasonOf(error);
    return unmade(`made, but its files were not taken: ${why}`);
  }
}

function hostOf({ source }: UpstreamFile): string {
  if (!("url" in source) || source.url.startsWith("data:")) return "the answer itself";
  return URL.canParse(source.url) ? new URL(source.url).host : "no address";
}

function describe({ mime, original, width, height, durationSec, title }: GeneratedFile): string {
  const sides = width && height ? `${width}×${height}` : "";
  const seconds = durationSec === undefined ? "" : `${durationSec.toFixed(1)} s`;
  return [original?.mime ?? mime, sides, seconds, title].filter((fact) => fact).join(", ");
}
