import { parseJson } from "../platform/json.js";
import type { CatalogueEntry } from "./catalogue.js";
import {
  boundWorkflow,
  hasInput,
  kindOf,
  type Mapping,
  type NodeKinds,
  nodeKindsSchema,
  nodeProblems,
  placeOf,
  type Workflow,
} from "./mapping.js";
import { type MappedInput, mappingFor } from "./operation.js";
import { SAMPLE_LINK, sampleRequests } from "./sample-requests.js";

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
  return Object.fromEntries(
    Object.entries(workflow).map(([id, node]) => [
      id,
      {
        ...node,
        inputs: Object.fromEntries(
          Object.entries(node.inputs).map(([name, value]) => [name, value === SAMPLE_LINK ? null : value]),
        ),
      },
    ]),
  );
}
