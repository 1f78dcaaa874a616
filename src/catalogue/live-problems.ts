import { z } from "zod";
import { parseJson } from "../platform/json.js";
import type { CatalogueEntry } from "./catalogue.js";
import type { Json } from "./json.js";
import type { Mapping } from "./mapping.js";
import { type MappedInput, mappingFor } from "./operation.js";
import { SAMPLE_LINK, sampleRequests } from "./sample-requests.js";
import { boundWorkflow, linkedNode, placeOf, type Workflow } from "./workflow.js";

const inputs = z.record(z.string(), z.unknown()).catch({});
const nodeKind = z.looseObject({
  input: z.looseObject({ required: inputs, optional: inputs }).catch({ required: {}, optional: {} }),
  output_node: z.boolean().catch(false),
});

/** Parses ComfyUI's `/object_info`. Source: github.com/Comfy-Org/ComfyUI, server.py (node_info) and execution.py. */
export const nodeKindsSchema = z
  .record(z.string(), nodeKind)
  .refine((kinds) => Object.keys(kinds).length > 0);
export type NodeKinds = z.infer<typeof nodeKindsSchema>;
type NodeKind = NodeKinds[string];

/** Parses `[type, what bounds it]`. The type is a list of values in the older form of enumerations. */
const declaration = z.tuple([z.union([z.string(), z.array(z.unknown())])], z.unknown());
const bounds = z
  .looseObject({
    min: z.number().optional().catch(undefined),
    max: z.number().optional().catch(undefined),
    options: z.array(z.unknown()).optional().catch(undefined),
  })
  .catch({ min: undefined, max: undefined, options: undefined });

const SHOWN_MAX = 5;

/** Lists what a ComfyUI lacks for a workflow: nodes, inputs that they need, model files and other values of lists. */
export function nodeProblems(workflow: Workflow, kinds: NodeKinds): string[] {
  const needed = neededNodes(workflow, kinds);
  return Object.entries(workflow).flatMap(([id, { class_type: name, inputs: given }]) => {
    const kind = kindOf(kinds, name);
    if (!kind) return [`there is no node ${name} (node ${id})`];
    if (!needed.has(id)) return [];
    return inputProblems(kind, given).map((problem) => `node ${id} (${name}): ${problem}`);
  });
}

function kindOf(kinds: NodeKinds, name: string): NodeKind | undefined {
  return Object.hasOwn(kinds, name) ? kinds[name] : undefined;
}

/** Accepts a name that a node declares, and `NAME.part` of one that has parts. */
export function hasInput({ input: { required, optional } }: NodeKind, name: string): boolean {
  const [first = ""] = name.split(".", 1);
  return [required, optional].some((declared) => [name, first].some((one) => Object.hasOwn(declared, one)));
}

/** Finds the nodes that an output is made from. An unknown node may be an output. */
function neededNodes(workflow: Workflow, kinds: NodeKinds): ReadonlySet<string> {
  const isEnd = ({ class_type: name }: Workflow[string]) => kindOf(kinds, name)?.output_node ?? true;
  const needed = new Set(Object.keys(workflow).filter((id) => isEnd(workflow[id] as Workflow[string])));
  for (const id of needed) {
    for (const value of Object.values(workflow[id]?.inputs ?? {})) {
      const source = linkedNode(value);
      if (source !== undefined) needed.add(source);
    }
  }
  return needed;
}

function inputProblems({ input: { required, optional } }: NodeKind, given: Workflow[string]["inputs"]) {
  const names = Object.keys(given);
  const missing = Object.keys(required)
    .filter((name) => !names.some((one) => one === name || one.startsWith(`${name}.`)))
    .map((name) => `needs the input ${name}`);
  const wrong = Object.entries({ ...optional, ...required }).flatMap(([name, declared]) =>
    Object.hasOwn(given, name) ? valueProblems(declared, given[name]).map((told) => `${name}: ${told}`) : [],
  );
  return [...missing, ...wrong];
}

function valueProblems(declared: unknown, value: Json | undefined): string[] {
  const [type, more] = declaration.safeParse(declared).data ?? [];
  if (type === undefined || linkedNode(value) !== undefined) return [];
  const { min, max, options, ...others } = bounds.parse(more);
  if (typeof value === "number") {
    if (max !== undefined && value > max) return [`${value} is above its maximum of ${max}`];
    return min !== undefined && value < min ? [`${value} is below its minimum of ${min}`] : [];
  }
  const known = Array.isArray(type) ? type : type === "COMBO" ? options : undefined;
  const isUpload = Object.keys(others).some((name) => name.endsWith("upload") && others[name] === true);
  if (!known || isUpload || typeof value !== "string" || known.includes(value)) return [];
  return [`there is no ${JSON.stringify(value)}, ${listed(known)}`];
}

function listed(known: readonly unknown[]): string {
  if (known.length === 0) return "and nothing else";
  const more = known.length > SHOWN_MAX ? ` and ${known.length - SHOWN_MAX} more` : "";
  return `only ${known.slice(0, SHOWN_MAX).map(String).join(", ")}${more}`;
}

/** Returns undefined for an answer that is not what ComfyUI tells of its nodes. */
export function readNodeKinds(text: string): NodeKinds | undefined {
  return nodeKindsSchema.safeParse(parseJson(text)).data;
}

/** Lists what a ComfyUI with these nodes lacks for the workflows of models, model and workflow first. */
export function liveProblems(entries: readonly CatalogueEntry[], kinds: NodeKinds): string[] {
  const all = entries.flatMap((entry) =>
    Object.values(entry.mappings)
      .flat()
      .flatMap((mapping) =>
        mappingProblems(entry, mapping, kinds).map(
          (problem) => `${entry.model_key}: ${mapping.endpoint}: ${problem}`,
        ),
      ),
  );
  return [...new Set(all)];
}

function mappingProblems({ model, mappings }: CatalogueEntry, mapping: Mapping, kinds: NodeKinds): string[] {
  const { workflow } = mapping;
  if (!workflow) return [];
  const list = Object.values(mappings).find((one) => one.includes(mapping)) ?? [];
  const samples = sampleRequests(model).flatMap((request) => {
    const found = mappingFor(list, request);
    return "mapping" in found && found.mapping === mapping ? [found.input] : [];
  });
  return [
    ...outputProblems(workflow, mapping.output.files, kinds),
    ...(samples.length === 0 ? nodeProblems(workflow, kinds) : []),
    ...samples.flatMap((input) => [
      ...placeProblems(workflow, input, kinds),
      ...nodeProblems(withoutLinks(boundWorkflow(workflow, input) as Workflow), kinds),
    ]),
  ];
}

function outputProblems(workflow: Workflow, files: string, kinds: NodeKinds): string[] {
  const id = files.split("/")[1] ?? "";
  const name = workflow[id]?.class_type ?? "";
  return kindOf(kinds, name)?.output_node === false ? [`node ${id} (${name}) saves no file`] : [];
}

/** A value for an input that its node lacks would be dropped without a word. */
function placeProblems(workflow: Workflow, input: MappedInput["input"], kinds: NodeKinds): string[] {
  return Object.entries(input).flatMap(([name, value]) => {
    const place = placeOf(workflow, name);
    const node = place && workflow[place.node];
    const kind = node && kindOf(kinds, node.class_type);
    if (!kind) return [];
    const names = place.input === undefined ? Object.keys(Object(value)) : [place.input];
    return names
      .filter((one) => !hasInput(kind, one))
      .map((one) => `node ${place.node} (${node.class_type}) has no input ${one}`);
  });
}

/** Removes the names of files that are uploaded with each order. */
function withoutLinks(workflow: Workflow): Workflow {
  const text = JSON.stringify(workflow, (_name, value: unknown) => (value === SAMPLE_LINK ? null : value));
  return JSON.parse(text) as Workflow;
}
