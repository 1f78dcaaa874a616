import { createHash } from "node:crypto";

const UPDATE_LENGTH = 64 * 1024;

type Pending = { text: string } | { value: unknown };

/** Hashes JSON with SHA-256, for any key order. Not recursive: a body may be nested deeper than the stack. */
export function fingerprintOf(json: unknown): string {
  const hash = createHash("sha256");
  const pending: Pending[] = [{ value: json }];
  let text = "";
  for (let next = pending.pop(); next; next = pending.pop()) {
    if ("text" in next) text += next.text;
    else if (typeof next.value !== "object" || next.value === null) text += JSON.stringify(next.value);
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
