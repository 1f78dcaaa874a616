import type { Json } from "./json.js";
import type { OutputSpec } from "./mapping.js";
import type { Operation, UpstreamFile } from "./operation.js";

/** Limits a title, in code points. */
const TITLE_LENGTH_MAX = 200;
const DURATION_SEC_MAX = 86_400;
/** Files that are taken of a task whose row does not say how many. */
const TAKES = { image: 1, video: 1, audio: 4 } as const;

/** Returns the files that are fetched of a finished task, and how many it told; undefined where it told none. */
export function takenOutputs(
  { output, takes = TAKES[output.kind] }: Pick<Operation, "output" | "takes">,
  document: Json,
): { files: readonly UpstreamFile[]; told: number } | undefined {
  const told = readOutputs(output, document);
  return told && { files: told.slice(0, takes), told: told.length };
}

/** Returns the files that a finished task tells; undefined where it tells none. */
export function readOutputs(spec: OutputSpec, document: Json): readonly UpstreamFile[] | undefined {
  const files = valuesAt(document, spec.files);
  const of = (pointer: string | undefined) => (pointer === undefined ? [] : valuesAt(document, pointer));
  const [covers, titles, durations] = [of(spec.covers), of(spec.titles), of(spec.durations)];
  const found = files.flatMap((file, index): UpstreamFile[] => {
    const text = textOf(file);
    if (text === undefined) return [];
    const coverUrl = textOf(covers[index]);
    const title = cutText(textOf(titles[index]));
    const durationSec = secondsOf(durations[index]);
    return [
      {
        kind: spec.kind,
        source: spec.encoding === "base64" ? { base64: text } : { url: text },
        ...(coverUrl !== undefined && { coverUrl }),
        ...(title !== undefined && { title }),
        ...(durationSec !== undefined && { durationSec }),
      },
    ];
  });
  return found.length === 0 ? undefined : found;
}

/** Returns the values at a JSON pointer, with undefined where one lacks it: lists of several pointers stay in step. */
function valuesAt(document: Json, pointer: string): (Json | undefined)[] {
  const names = pointer
    .split("/")
    .slice(1)
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
  return names.reduce<(Json | undefined)[]>(
    (nodes, name) => nodes.flatMap((node) => step(node, name)),
    [document],
  );
}

/** Follows one step. `*` stands for each element of a list, and for what is no list itself. */
function step(node: Json | undefined, name: string): (Json | undefined)[] {
  if (name === "*") return Array.isArray(node) ? node : [node];
  if (typeof node !== "object" || node === null || !Object.hasOwn(node, name)) return [undefined];
  return [Reflect.get(node, name)];
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function cutText(text: string | undefined): string | undefined {
  if (text === undefined || text.length <= TITLE_LENGTH_MAX) return text;
  return [...text.slice(0, 2 * TITLE_LENGTH_MAX)].slice(0, TITLE_LENGTH_MAX).join("");
}

function secondsOf(value: Json | undefined): number | undefined {
  const seconds = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof seconds === "number" && seconds > 0 && seconds <= DURATION_SEC_MAX ? seconds : undefined;
}
