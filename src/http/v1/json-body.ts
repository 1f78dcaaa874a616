import { ContractError } from "../../contract/errors.js";
import { SMALL_BODY_BYTES } from "./body-budget.js";

/** The most bytes of a body: 12 MB (section 8). */
export const BODY_BYTES_MAX = 12 * 1024 * 1024;
/** The most values: 12 MB of empty or nested lists would exhaust the memory. */
const VALUES_MAX = 200_000;

/**
 * Parses a body as JSON in strict UTF-8, whatever its content type. Skips a byte order mark. Frees large bytes at once:
 * V8 collects those of a flood late.
 * @throws ContractError `invalid_json`, also if it is no object; `payload_too_large` for too many values
 */
export function parseJsonBody(bytes: Buffer<ArrayBuffer>): object {
  if (bytes.length > VALUES_MAX && countValues(bytes) > VALUES_MAX) {
    throw new ContractError("payload_too_large");
  }
  const json = parsed(textOf(bytes));
  if (typeof json !== "object" || json === null || Array.isArray(json))
    throw new ContractError("invalid_json");
  return json;
}

function textOf(bytes: Buffer<ArrayBuffer>): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ContractError("invalid_json");
  } finally {
    if (bytes.length > SMALL_BODY_BYTES) bytes.buffer.transfer(0);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ContractError("invalid_json");
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Codes of the characters that a nested value follows: a comma or an opening bracket. */
const SEPARATORS = new Set([",", "[", "{"].map((character) => character.charCodeAt(0)));

function countValues(bytes: Buffer): number {
  let values = 0;
  let isInString = false;
  for (let at = 0; at < bytes.length && values <= VALUES_MAX; at += 1) {
    const byte = bytes[at] ?? 0;
    if (isInString) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) isInString = false;
    } else if (byte === QUOTE) {
      isInString = true;
    } else if (SEPARATORS.has(byte)) {
      values += 1;
    }
  }
  return values;
}
