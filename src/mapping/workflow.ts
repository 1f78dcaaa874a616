import { z } from "zod";
import type { Json } from "./json.js";

const json: z.ZodType<Json> = z.json();

/**
 * Parses a workflow of ComfyUI as its "Save (API Format)" exports it. An input is a value, or `[id, output]` for what
 * another node makes. Source: https://docs.comfy.org/development/core-concepts/workflow
 */
export const workflowSchema = z.record(
  z.string().min(1),
  z.looseObject({ class_type: z.string().min(1), inputs: z.record(z.string(), json) }),
);
export type Workflow = z.infer<typeof workflowSchema>;

/** Names the `api` of a mapping whose `endpoint` is the file of a workflow, and whose `input` names places in it. */
export const WORKFLOW_API = "workflow";

/** One input of a node, or the node alone for several inputs at once. */
export interface Place {
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
