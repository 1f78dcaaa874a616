import { createHash } from "node:crypto";
import type { Operation } from "../../../routes/operation.js";

/** Names a request to the operator of the service, such as in a claim. */
export function hashOf({ api, endpoint, input }: Operation): string {
  return createHash("sha256")
    .update(JSON.stringify([api ?? null, endpoint, input]))
    .digest("hex");
}
