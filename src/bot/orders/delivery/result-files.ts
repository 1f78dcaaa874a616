import type { Readable } from "node:stream";
import { ContractError } from "../../../contract/errors.js";
import type { JobId } from "../../../contract/job.js";
import type { Gateway, ResultFile } from "../../../ports/gateway.js";

/** Undefined when the file no longer exists, or the track has no cover. */
export async function findResult(
  gateway: Gateway,
  id: JobId,
  track: number,
  kind: ResultFile["kind"] = "result",
): Promise<ResultFile | undefined> {
  const files = await gateway.results(id);
  return files.find((file) => file.kind === kind && file.index === track);
}

/** @throws ContractError `job_not_found` when the file no longer exists */
export async function openResult(gateway: Gateway, id: JobId, track: number): Promise<Readable> {
  const file = await findResult(gateway, id, track);
  if (!file) throw new ContractError("job_not_found");
  return file.open();
}
