import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { reasonOf } from "../platform/errors.js";
import { type Json, json } from "./json.js";

/**
 * Parses a workflow of ComfyUI as its "Save (API Format)" exports it. An input is a value, or `[id, output]` for what
 * another node makes. Source: https://docs.comfy.org/development/core-concepts/workflow
 */
const workflowSchema = z.record(
  z.string().min(1),
  z.looseObject({ class_type: z.string().min(1), inputs: z.record(z.string(), json) }),
);
export type Workflow = z.infer<typeof workflowSchema>;

/** Finds a workflow by the name of its file, or tells what is wrong with it. */
export type ReadWorkflow = (name: string) => { workflow: Workflow } | { problem: string };

const FOLDER = "workflows";
/** Folder of the workflows that the project ships. */
const SHIPPED = join("data", FOLDER);
const FILE_NAME = /^[\w-][\w.-]*\.json$/;

/** Reads workflows beside catalogue files, the last file's first, else those of the project. */
export function workflowsBeside(catalogueFiles: readonly string[]): ReadWorkflow {
  const beside = catalogueFiles.map((file) => join(dirname(file), FOLDER));
  const folders = [...beside.reverse(), SHIPPED];
  return (name) => {
    if (!FILE_NAME.test(name)) return { problem: "must be the name of a JSON file in workflows" };
    const file = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
    return file === undefined ? { problem: `there is no ${folders[0]}/${name}` } : readWorkflow(file);
  };
}

function readWorkflow(file: string): ReturnType<ReadWorkflow> {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    return { problem: `${file} cannot be read: ${reasonOf(error)}` };
  }
  const parsed = workflowSchema.safeParse(json);
  if (parsed.success) return { workflow: parsed.data };
  const [node = ""] = parsed.error.issues[0]?.path ?? [];
  return {
    problem: `${file} is no workflow in the API format of ComfyUI${node === "" ? "" : `: see ${String(node)}`}`,
  };
}

/** One input of a node, or the node alone for several inputs at once. */
interface Place {
  node: string;
  input?: string;
}

/** Reads `NODE.input` or `NODE`. Undefined where the workflow has no such node. */
export function placeOf(workflow: Workflow, name: string): Place | undefined {
  if (Object.hasOwn(workflow, name)) return { node: name };
  const node = Object.keys(workflow).find((id) => name.startsWith(`${id}.`));
  return node === undefined ? undefined : { node, input: name.slice(node.length + 1) };
}

/** Returns the other node of an input that is a link. */
export function linkedNode(value: Json | undefined): string | undefined {
  if (!Array.isArray(value) || value.length !== 2) return undefined;
  const [node, output] = value;
  return typeof node === "string" && typeof output === "number" ? node : undefined;
}

/** Puts values in their places. An object is put over the inputs of its node. */
export function boundWorkflow(
  workflow: Workflow,
  values: Readonly<Record<string, Json>>,
): { readonly [node: string]: Json } {
  const graph: Record<string, { inputs: Record<string, Json> } & Record<string, Json>> = {};
  for (const [id, node] of Object.entries(workflow)) {
    graph[id] = { ...(node as Record<string, Json>), inputs: { ...node.inputs } };
  }
  for (const [name, value] of Object.entries(values)) {
    const place = placeOf(workflow, name);
    const inputs = place && graph[place.node]?.inputs;
    if (!inputs) continue;
    if (place.input === undefined) Object.assign(inputs, value);
    else inputs[place.input] = alone(value);
  }
  return graph;
}

/** Refuses a list, which would be read as a link: an input takes one value. */
function alone(value: Json): Json {
  const [first] = Array.isArray(value) ? value : [];
  return first ?? value;
}
