/** Parses and checks a body, in the service and as the program of a thread. It imports nothing of the service. */
import { createHash } from "node:crypto";
import { parentPort } from "node:worker_threads";

/** The most values: 12 MB of empty or nested lists would exhaust the memory. */
const VALUES_MAX = 200_000;
const UPDATE_LENGTH = 64 * 1024;
/** Longer than every text of a request may be, in UTF-16 units. */
const TEXT_MAX = 100_000;
/** More than every list of a request may have. */
const LIST_MAX = 200;

/** The most names of other fields that are kept, and the most UTF-16 units of each. */
export const OTHER_FIELDS_MAX = 20;
export const FIELD_NAME_MAX = 64;

export type JsonRead =
  | { kind: "object"; json: object; fingerprint: string }
  | { kind: "invalid" }
  | { kind: "too_many" };

parentPort?.on("message", ({ bytes, names }: { bytes: Uint8Array; names: ReadonlySet<string> }) =>
  parentPort?.postMessage(readJson(bytes, names)),
);

/** Given the `names` of the fields that are read, keeps no value of others: the object is quick to copy. */
export function readJson(bytes: Uint8Array, names?: ReadonlySet<string>): JsonRead {
  if (bytes.length > VALUES_MAX && countValues(bytes) > VALUES_MAX) return { kind: "too_many" };
  const json = parsed(bytes);
  if (typeof json !== "object" || json === null || Array.isArray(json)) return { kind: "invalid" };
  return { kind: "object", json: names ? cutObject(json, names) : json, fingerprint: fingerprintOf(json) };
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

function cutObject(json: object, names: ReadonlySet<string>): object {
  const given = Object.keys(json);
  const read = given.filter((name) => names.has(name));
  const others = given.filter((name) => !names.has(name)).slice(0, OTHER_FIELDS_MAX);
  return Object.fromEntries([
    ...read.map((name) => [name, cutValue(Reflect.get(json, name))] as const),
    ...others.map((name) => [name.slice(0, FIELD_NAME_MAX), null] as const),
  ]);
}

function cutValue(value: unknown): unknown {
  if (typeof value === "string") return value.length > TEXT_MAX ? cutText(value.trim()) : value;
  if (typeof value !== "object" || value === null) return value;
  if (!Array.isArray(value)) return {};
  const items: readonly unknown[] = value;
  return items
    .slice(0, LIST_MAX)
    .map((item) => (typeof item === "object" && item !== null ? {} : cutValue(item)));
}

/** Keeps the end: cut at a space, a text would mean what its beginning means. */
function cutText(text: string): string {
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX - 1)}${text.slice(-1)}` : text;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Codes of the characters that a nested value follows: a comma or an opening bracket. */
const SEPARATORS = new Set([",", "[", "{"].map((character) => character.charCodeAt(0)));

function countValues(bytes: Uint8Array): number {
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

type Pending = { text: string } | { value: unknown };

/** Hashes JSON with SHA-256, for any key order. Not recursive: a body may be nested deeper than the stack. */
export function fingerprintOf(json: unknown): string {
  const hash = createHash("sha256");
  const pending: Pending[] = [{ value: json }];
  let text = "";
  for (let next = pending.pop(); next; next = pending.pop()) {
    if ("text" in next) text += next.text;
    else if (typeof next.value === "string") text += JSON.stringify(next.value);
    // A number that is too large is no null.
    else if (typeof next.value !== "object" || next.value === null) text += String(next.value);
    else pushPieces(pending, next.value);
    if (text.length < UPDATE_LENGTH) continue;
    hash.update(text);
    text = "";
  }
  return hash.update(text).digest("base64");
}

function pushPieces(pending: Pending[], value: object): void {
  const isList = Array.isArray(value);
  const names = isList ? [...value.keys()] : Object.keys(value).sort();
  pending.push({ text: isList ? "]" : "}" });
  for (let at = names.length - 1; at >= 0; at -= 1) {
    const name = names[at] ?? 0;
    const label = isList ? "" : `${JSON.stringify(name)}:`;
    pending.push({ value: Reflect.get(value, name) }, { text: at === 0 ? label : `,${label}` });
  }
  pending.push({ text: isList ? "[" : "{" });
}
