import type { Model } from "../../../contract/model.js";
import type { Mapping } from "../../../mapping/mapping.js";
import type { Value } from "../../../mapping/value.js";
import { linkedNode, placeOf, type Workflow } from "../../../mapping/workflow.js";

/** Lists what is wrong with a mapping's places in its workflow, and with the links in it, field first. */
export function workflowProblems({ parameters }: Model, mapping: Mapping, workflow: Workflow): string[] {
  return [
    ...linkProblems(workflow).map((problem) => `endpoint: ${mapping.endpoint}: ${problem}`),
    ...Object.entries(mapping.input).flatMap(([name, value]) =>
      [...placeProblems(workflow, name, value), ...listProblems(parameters, mapping, value)].map(
        (problem) => `input.${name}: ${problem}`,
      ),
    ),
    ...outputProblems(workflow, mapping.output.files).map((problem) => `output.files: ${problem}`),
  ];
}

function linkProblems(workflow: Workflow): string[] {
  return Object.entries(workflow).flatMap(([id, { inputs }]) =>
    Object.entries(inputs).flatMap(([name, value]) => {
      const node = linkedNode(value);
      if (node === undefined || Object.hasOwn(workflow, node)) return [];
      return [`${id}.${name} is linked to node ${node}, which it lacks`];
    }),
  );
}

function placeProblems(workflow: Workflow, name: string, value: Value): string[] {
  const place = placeOf(workflow, name);
  const node = place && workflow[place.node];
  if (!place || !node) return [`the workflow has no node ${name.split(".", 1)[0]}`];
  const names = place.input === undefined ? namesOf(value) : [place.input];
  if (!names) return ["only size and object give several inputs of a node"];
  return names
    .filter((input) => !Object.hasOwn(node.inputs, input))
    .map((input) => `node ${place.node} (${node.class_type}) has no input ${input}`);
}

/** Returns the names of the inputs that a value gives; undefined where it is one value. */
function namesOf(value: Value): readonly string[] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if ("size" in value) return value.size === "object" ? ["width", "height"] : undefined;
  return "object" in value ? Object.keys(value.object) : undefined;
}

/** Checks lists: an input takes one picture. */
function listProblems(parameters: Model["parameters"], { limits }: Mapping, value: Value): string[] {
  const field = typeof value === "string" && value.startsWith("$") ? value.slice(1) : "";
  const parameter = parameters[field];
  if (parameter?.type !== "array<string>" || (limits[field] ?? parameter.max) === 1) return [];
  return [`takes one of ${field}: limits.${field} must be 1`];
}

/** Checks `/NODE/images/…`, a pointer into what the history tells of a node. */
function outputProblems(workflow: Workflow, files: string): string[] {
  const node = files.split("/")[1] ?? "";
  return Object.hasOwn(workflow, node) ? [] : [`the workflow has no node ${node}`];
}
