import type { IncomingMessage } from "node:http";
import { ApiError } from "./errors.js";

const KEY = /^[\x20-\x7e]{1,255}$/;

/** Reads the key. Throws ApiError `bad_idempotency_key`, also if the header is repeated. */
export function idempotencyKeyOf({ headersDistinct }: IncomingMessage): string | undefined {
  const values = headersDistinct["idempotency-key"];
  if (values === undefined) return undefined;
  const [key = ""] = values;
  if (values.length > 1 || !KEY.test(key)) throw new ApiError("bad_idempotency_key");
  return key;
}
