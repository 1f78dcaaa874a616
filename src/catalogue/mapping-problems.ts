import type { Model, ModelParameter } from "../contract/model.js";
import { type CostTable, type FieldValue, type Mapping, type Value, valuesIn, type When } from "./mapping.js";
import { namedFields } from "./operation.js";
import { linkedNode, placeOf, type ReadWorkflow, type Workflow } from "./workflow.js";

/** Names the `api` of a mapping whose `endpoint` is the file of a workflow, and whose `input` names places in it. */
const WORKFLOW_API = "workflow";

/** Values that `api` of a mapping may have, by service. One of ComfyUI must have it. */
const INTERFACES: Readonly<Record<string, readonly string[]>> = {
  generation_api: [],
  fal: [],
  kie: ["market"],
  polza: [],
  openai: ["generations", "edits"],
  replicate: [],
  comfyui: [WORKFLOW_API],
  ace_step: [],
};

/** Tells what is wrong with the `api` of a mapping. Nothing is known of an unknown service. */
function interfaceProblems(service: string, { api }: Pick<Mapping, "api">): string[] {
  const known = Object.hasOwn(INTERFACES, service) ? INTERFACES[service] : undefined;
  if (!known || (api === undefined ? service !== "comfyui" : known.includes(api))) return [];
  if (known.length === 0) return [`api: ${service} has one interface only: leave it out`];
  return [`api: must be ${known.map((name) => JSON.stringify(name)).join(" or ")} at ${service}`];
}

type Mappings = Readonly<Record<string, readonly Mapping[]>>;

/**
 * Reads the workflows that the mappings of a model name, and tells what is wrong with mappings and workflows, field first:
 * `mappings.fal.0.when.sound: …`.
 */
export function boundMappings(
  model: Model,
  mappings: Mappings,
  readWorkflow: ReadWorkflow,
): { mappings: Mappings; problems: string[] } {
  const problems: string[] = [];
  const bind = (mapping: Mapping, service: string, field: string): Mapping => {
    const wrongApi = interfaceProblems(service, mapping);
    const isFlow = mapping.api === WORKFLOW_API && wrongApi.length === 0;
    const found = isFlow ? readWorkflow(mapping.endpoint) : undefined;
    const wrong = [...wrongApi, ...problemsOf(model, mapping)];
    if (found && "problem" in found) wrong.push(`endpoint: ${found.problem}`);
    else if (found) wrong.push(...workflowProblems(model, mapping, found.workflow));
    problems.push(...wrong.map((problem) => `${field}.${problem}`));
    return found && "workflow" in found ? { ...mapping, workflow: found.workflow } : mapping;
  };
  const bound = Object.entries(mappings).map(([service, list]): [string, readonly Mapping[]] => [
    service,
    list.map((mapping, index) => bind(mapping, service, `mappings.${service}.${index}`)),
  ]);
  return { mappings: Object.fromEntries(bound), problems };
}

const LIMITED: readonly string[] = ["string", "array<string>", "integer", "number"];

function problemsOf({ parameters }: Model, mapping: Mapping): string[] {
  const unknown = [...namedFields(mapping)]
    .filter((field) => !parameters[field])
    .map((field) => `input: ${field} is no parameter of the model`);
  if (unknown.length > 0) return unknown;
  return [
    ...whenProblems(parameters, mapping.when).map((problem) => `when.${problem}`),
    ...Object.entries(mapping.input).flatMap(([name, value]) =>
      valueProblems(parameters, value).map((problem) => `input.${name}: ${problem}`),
    ),
    ...Object.keys(mapping.minima)
      .filter((field) => parameters[field]?.type !== "string")
      .map((field) => `minima.${field}: is no text`),
    ...Object.keys(mapping.limits)
      .filter((field) => !LIMITED.includes(parameters[field]?.type ?? ""))
      .map((field) => `limits.${field}: is no text, list or number`),
    ...costProblems(parameters, mapping),
  ];
}

function whenProblems(parameters: Model["parameters"], when: When): string[] {
  return Object.entries(when).flatMap(([field, condition]) =>
    Array.isArray(condition)
      ? condition
          .filter((value) => value !== null && !takes(parameters[field], value))
          .map((value) => `${field}: the model has no ${value}`)
      : [],
  );
}

function valueProblems(parameters: Model["parameters"], value: Value): string[] {
  const inner = valuesIn(value).flatMap((each) => valueProblems(parameters, each));
  if (typeof value !== "object" || value === null) return inner;
  if ("from" in value) return mapProblems(parameters[value.from], value);
  if ("size" in value && typeof value.pixels !== "number")
    return keyProblems("resolution", parameters.resolution, Object.keys(value.pixels));
  return "when" in value ? [...whenProblems(parameters, value.when), ...inner] : inner;
}

function mapProblems(parameter: ModelParameter | null | undefined, { from, map }: FieldValue): string[] {
  if (map === undefined) return [];
  if (!Array.isArray(map)) return keyProblems(from, parameter, Object.keys(map));
  return map.filter((value) => !takes(parameter, value)).map((value) => `the model has no ${from} ${value}`);
}

function costProblems(parameters: Model["parameters"], { cost }: Mapping): string[] {
  if (!cost) return [];
  const walk = (node: CostTable, [field, ...rest]: readonly string[]): string[] => {
    if (field === undefined) return typeof node === "number" ? [] : ["cost.amount: is deeper than `by`"];
    if (typeof node === "number") return ["cost.amount: is less deep than `by`"];
    return [
      ...keyProblems(field, parameters[field], Object.keys(node)).map((problem) => `cost.amount: ${problem}`),
      ...Object.values(node).flatMap((inner) => walk(inner, rest)),
    ];
  };
  return [...new Set(walk(cost.amount, cost.by))];
}

function keyProblems(
  field: string,
  parameter: ModelParameter | null | undefined,
  keys: readonly string[],
): string[] {
  return keys.filter((key) => !takesKey(parameter, key)).map((key) => `the model has no ${field} ${key}`);
}

function takes(parameter: ModelParameter | null | undefined, value: string | number | boolean): boolean {
  if (!parameter) return false;
  if (parameter.values) return parameter.values.some((known) => known === value);
  return parameter.type === "boolean" ? typeof value === "boolean" : typeof value !== "boolean";
}

function takesKey(parameter: ModelParameter | null | undefined, key: string): boolean {
  if (!parameter) return false;
  if (parameter.values) return parameter.values.some((known) => String(known) === key);
  return parameter.type !== "boolean" || key === "true" || key === "false";
}

/** Lists what is wrong with a mapping's places in its workflow, and with the links in it, field first. */
function workflowProblems({ parameters }: Model, mapping: Mapping, workflow: Workflow): string[] {
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
