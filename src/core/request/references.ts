import { ContractError } from "../../contract/errors.js";
import type { Field } from "./field.js";

/** Reads links, not validated yet. Throws ContractError `bad_reference_url` for another type. */
export function readLinks({ value, parameter }: Field): string[] {
  if (!parameter || value === undefined) return [];
  if (!Array.isArray(value)) throw new ContractError("bad_reference_url");
  const given: readonly unknown[] = value;
  return given.slice(0, parameter.max).map(linkOf);
}

/** Reads one link, not validated yet. Throws ContractError `bad_reference_url`. */
export function readLink({ value, parameter }: Field): string | undefined {
  return parameter && value !== undefined ? linkOf(value) : undefined;
}

function linkOf(value: unknown): string {
  if (typeof value !== "string") throw new ContractError("bad_reference_url");
  return value;
}
