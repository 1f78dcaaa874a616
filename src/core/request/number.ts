import { ContractError } from "../../contract/errors.js";
import type { ModelParameter } from "../../contract/model.js";
import type { Field } from "./field.js";

/** How many images: rounded down and clamped; what is no number becomes the default. */
export function readCount({ value, parameter }: Field): number | undefined {
  if (!parameter) return undefined;
  const number = numberOf(value);
  return number === undefined ? defaultOf(parameter) : clamped(Math.floor(number), parameter);
}

/**
 * A video's duration in seconds: one of the model's; absent, its default.
 * @throws ContractError `bad_duration_sec` with `allowed`
 */
export function readVideoDuration({ value, parameter }: Field): number | undefined {
  if (!parameter) return undefined;
  if (value === undefined) return defaultOf(parameter);
  const seconds = numberOf(value);
  const { values = [] } = parameter;
  if (seconds === undefined || !values.includes(seconds)) {
    throw new ContractError("bad_duration_sec", { allowed: values });
  }
  return seconds;
}

/** A track's duration in seconds: a whole number within the bounds; anything else becomes the default. */
export function readMusicDuration({ value, parameter }: Field): number | undefined {
  if (!parameter) return undefined;
  const seconds = numberOf(value);
  const isValid =
    seconds !== undefined && Number.isInteger(seconds) && clamped(seconds, parameter) === seconds;
  return isValid ? seconds : defaultOf(parameter);
}

/** A weight: clamped, rounded to two decimals; what is no number becomes the default. */
export function readWeight({ value, parameter }: Field): number | undefined {
  if (!parameter) return undefined;
  const weight = numberOf(value);
  return weight === undefined ? defaultOf(parameter) : Math.round(clamped(weight, parameter) * 100) / 100;
}

/** A number of JSON, also as a string in the same notation. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  return /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined;
}

function clamped(number: number, parameter: ModelParameter): number {
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = parameter;
  return Math.min(Math.max(number, min), max);
}

function defaultOf(parameter: ModelParameter): number | undefined {
  return typeof parameter.default === "number" ? parameter.default : undefined;
}
