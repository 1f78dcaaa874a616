import type { Readable } from "node:stream";
import { ContractError } from "../../../contract/errors.js";
import type { JobId } from "../../../contract/job.js";
import type { Gateway, ResultFile } from "../../../ports/gateway.js";

/** Undefined when the file no longer exists, or there is none of that kind. */
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
export async function openResult(
  gateway: Gateway,
  id: JobId,
  { track, kind }: { track: number; kind: ResultFile["kind"] },
): Promise<Readable> {
  const file = await findResult(gateway, id, track, kind);
  if (!file) throw new ContractError("job_not_found");
  return file.open();
}
