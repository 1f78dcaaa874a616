import { ContractError, type ContractErrorCode } from "../../contract/errors.js";
import type { ModelParameter } from "../../contract/model.js";
import type { Field, Reader } from "./field.js";

/** Reads one of the parameter's values. Absent and unknown values become the default. */
export function readChoice({ value, parameter }: Field): string | undefined {
  return parameter ? (known(value, parameter) ?? defaultOf(parameter)) : undefined;
}

/** Reads a choice, but throws ContractError `code` with `allowed` for an unknown value. */
export function strictChoice(code: ContractErrorCode): Reader {
  return ({ value, parameter }) => {
    if (!parameter) return undefined;
    if (value === undefined) return defaultOf(parameter);
    const choice = known(value, parameter);
    if (choice === undefined) throw new ContractError(code, { allowed: parameter.values ?? [] });
    return choice;
  };
}

function known(value: unknown, { values = [] }: ModelParameter): string | undefined {
  if (typeof value !== "string") return undefined;
  const choice = value.trim();
  return values.includes(choice) ? choice : undefined;
}

function defaultOf(parameter: ModelParameter): string | undefined {
  return typeof parameter.default === "string" ? parameter.default : undefined;
}
