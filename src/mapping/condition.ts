import { z } from "zod";
import type { ParameterValue } from "../contract/model.js";
import type { GenerationRequest } from "../contract/request.js";

/** Accepts present or absent, or one of the listed values; null in a list stands for absent, and false for it too. */
const conditionSchema = z.union([
  z.boolean(),
  z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])).min(1),
]);

/** Conditions by field of the request. A field with a list of values is refused with any other value. */
export const whenSchema = z.record(z.string().min(1), conditionSchema);
export type Condition = z.infer<typeof conditionSchema>;
export type When = z.infer<typeof whenSchema>;

/** Finds the first field whose condition does not hold, and how many held before it. */
export function brokenCondition(
  when: When,
  request: GenerationRequest,
): { field: string; held: number } | undefined {
  const conditions = Object.entries(when);
  const held = conditions.findIndex(([field, condition]) => !holds(condition, fieldOf(request, field)));
  const broken = conditions[held];
  return broken && { field: broken[0], held };
}

/** Returns undefined for an absent field and for an empty list. */
export function fieldOf(request: GenerationRequest, field: string): ParameterValue | undefined {
  const value = Object.hasOwn(request, field) ? request[field] : undefined;
  return Array.isArray(value) && value.length === 0 ? undefined : value;
}

function holds(condition: Condition, value: ParameterValue | undefined): boolean {
  if (typeof condition === "boolean") return condition === (value !== undefined);
  return condition.some((wanted) => wanted === (value ?? null) || (wanted === false && value === undefined));
}
