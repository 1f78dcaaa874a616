import { ContractError } from "../../contract/errors.js";

/** 12 MB (section 8). */
export const BODY_BYTES_MAX = 12 * 1024 * 1024;
/** No request needs more; 12 MB of empty lists or of brackets in brackets would fill the memory. */
const VALUES_MAX = 200_000;

/**
 * Reads the bytes of a body as JSON in strict UTF-8, whatever type it was sent as. A byte order mark is
 * skipped, and names such as `__proto__` are data.
 * @throws ContractError `invalid_json`; `payload_too_large` for more than 200 000 values
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length > VALUES_MAX && countValues(bytes) > VALUES_MAX) {
    throw new ContractError("payload_too_large");
  }
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as unknown;
  } catch {
    throw new ContractError("invalid_json");
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** What begins a value inside another one: a comma and the opening brackets. */
const SEPARATORS = new Set([",", "[", "{"].map((character) => character.charCodeAt(0)));

/** Counts the values of a JSON text, as far as the limit, without building any of them. */
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
