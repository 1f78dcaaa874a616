import type { JobId } from "../../src/contract/job.js";
import type { FakeGateway } from "./fake-gateway.js";

/** Gives the gateway's user finished image jobs of these ids. */
export function keepResults(gateway: FakeGateway, ids: readonly JobId[] = [1, 2, 3]): void {
  for (const id of ids) gateway.addJob({ id }).finish();
}
