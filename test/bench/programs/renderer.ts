import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { render } from "@atelier/preview-renderer/parts";
import type { GenerationRequest } from "../../../src/contract/request.js";

/**
 * The local renderer in a process of its own, as the service has it: makes each thing that its parent asks for,
 * and tells the CPU time of all its threads.
 */
export interface RenderWish {
  request: GenerationRequest;
  tracks: number;
  seed: number;
}

const directory = process.env.DATA_DIR ?? "";
let count = 0;

async function make({ request, tracks, seed }: RenderWish): Promise<number> {
  const own = join(directory, String(count++));
  mkdirSync(own);
  const before = process.cpuUsage();
  await render({ jobId: count, request, model: "bench", seed, tracks, references: [], directory: own });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

process.on("message", (wish: RenderWish) => {
  void make(wish).then((cpuMs) => process.send?.(cpuMs));
});
process.on("SIGTERM", () => process.exit(0));
process.send?.("ready");
