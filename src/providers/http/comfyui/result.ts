import { z } from "zod";
import type { Json } from "../../../mapping/json.js";
import type { HttpAnswer } from "../../../platform/http-exchange.js";
import type { PollOutcome } from "../adapter.js";
import { detailOf, judgeFailedTask, readJson } from "../judge-status.js";

const message = z.tuple([z.string()], z.unknown());
const entry = z.looseObject({
  outputs: z.record(z.string(), z.record(z.string(), z.unknown()).catch({})).catch({}),
  status: z
    .looseObject({ status_str: z.string().catch(""), messages: z.array(message).catch([]) })
    .nullish()
    .catch(undefined),
});
export type HistoryEntry = z.infer<typeof entry>;
const history = z.record(z.string(), entry);
const file = z.looseObject({
  filename: z.string().min(1),
  subfolder: z.string().catch(""),
  type: z.string().catch("output"),
});
const failure = z.looseObject({
  node_id: z.string().catch(""),
  node_type: z.string().catch(""),
  exception_type: z.string().catch(""),
  exception_message: z.string().catch(""),
});

/** Reads what the history says of a prompt. Undefined for what is no history. */
export function readEntry(answer: HttpAnswer, id: string): HistoryEntry | "absent" | undefined {
  const entries = history.safeParse(readJson(answer)).data;
  if (!entries) return undefined;
  return (Object.hasOwn(entries, id) ? entries[id] : undefined) ?? "absent";
}

/** Judges an entry, which has ended: in time, by an error, or by an interruption. */
export function judgeEntry(answer: HttpAnswer, { outputs, status }: HistoryEntry): PollOutcome {
  const state = status ? status.status_str : "success";
  if (state === "success") return { kind: "ready", document: documentOf(outputs) };
  if (state !== "error") return { kind: "glitch", detail: detailOf(answer, `status ${state}`) };
  const last = status?.messages.findLast(([name]) => /^execution_(?:error|interrupted)$/.test(name));
  const [name = "execution_error", told] = last ?? [];
  if (name === "execution_interrupted") return { kind: "failed", detail: "interrupted" };
  const { node_id, node_type, exception_type, exception_message } = failure.parse(told ?? {});
  const words = `node ${node_id} (${node_type}): ${exception_type}: ${exception_message}`;
  return judgeFailedTask({ codes: [], words: words.replace(/\s+/g, " ").trim() });
}

/** Collects each node's lists of files (`images`, `gifs`, `video`, `audio`), with their addresses. */
function documentOf(outputs: HistoryEntry["outputs"]): Json {
  return Object.fromEntries(
    Object.entries(outputs).map(([node, lists]) => [
      node,
      Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, flagsOf(list) ?? filesOf(list)])),
    ]),
  );
}

/** Returns what a safety checker tells beside the files: a list of yes and no. */
function flagsOf(list: unknown): boolean[] | undefined {
  const flags = Array.isArray(list) ? list.filter((flag) => typeof flag === "boolean") : [];
  return flags.length > 0 ? flags : undefined;
}

function filesOf(list: unknown): Json[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((given): Json[] => {
    const parsed = file.safeParse(given).data;
    if (!parsed) return [];
    const { filename, subfolder, type } = parsed;
    return [
      { filename, subfolder, type, url: `/view?${new URLSearchParams({ filename, subfolder, type })}` },
    ];
  });
}
