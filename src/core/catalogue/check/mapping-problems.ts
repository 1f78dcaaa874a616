import type { Model, ModelParameter } from "../../../contract/model.js";
import type { When } from "../../../mapping/condition.js";
import { interfaceProblem } from "../../../mapping/interfaces.js";
import type { CostTable, Mapping } from "../../../mapping/mapping.js";
import { namedFields } from "../../../mapping/named-fields.js";
import type { FieldValue, Value } from "../../../mapping/value.js";

/** Lists what is wrong with the mappings of a model, field first: `mappings.fal.0.when.sound: …`. */
export function mappingProblems(
  model: Model,
  mappings: Readonly<Record<string, readonly Mapping[]>>,
): string[] {
  return Object.entries(mappings).flatMap(([service, list]) =>
    list.flatMap((mapping, index) =>
      [...apiProblems(service, mapping), ...problemsOf(model, mapping)].map(
        (problem) => `mappings.${service}.${index}.${problem}`,
      ),
    ),
  );
}

const LIMITED: readonly string[] = ["string", "array<string>", "integer", "number"];

function apiProblems(service: string, mapping: Mapping): string[] {
  const problem = interfaceProblem(service, mapping);
  return problem === undefined ? [] : [`api: ${problem}`];
}

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
  if (typeof value !== "object" || value === null || "const" in value) return [];
  if ("from" in value) return mapProblems(parameters[value.from], value);
  if ("size" in value) {
    if (typeof value.pixels === "number") return [];
    return keyProblems("resolution", parameters.resolution, Object.keys(value.pixels));
  }
  const inner = (...values: Value[]) => values.flatMap((each) => valueProblems(parameters, each));
  if ("list" in value) return inner(...value.list);
  if ("join" in value) return inner(...value.join);
  if ("omit" in value) return inner(value.omit);
  if ("object" in value) return inner(...Object.values(value.object));
  return [...whenProblems(parameters, value.when), ...inner(value.value, value.else ?? null)];
}

function mapProblems(parameter: ModelParameter | null | undefined, { from, map }: FieldValue): string[] {
  if (map === undefined) return [];
  if (!isList(map)) return keyProblems(from, parameter, Object.keys(map));
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

function isList(map: NonNullable<FieldValue["map"]>): map is readonly (string | number | boolean)[] {
  return Array.isArray(map);
}
