import { ContractError } from "../../contract/errors.js";
import type { ModelParameter } from "../../contract/model.js";
import type { Field } from "./field.js";

/** Reads the number of images, rounded down and clamped. Anything but a number becomes the default. */
export function readCount({ value, parameter }: Field): number | undefined {
  if (!parameter) return undefined;
  const number = numberOf(value);
  return number === undefined ? defaultOf(parameter) : clamped(Math.floor(number), parameter);
}

/** Reads the video duration in seconds. Throws ContractError `bad_duration_sec` for a value the model lacks. */
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

/** Reads the track duration in seconds, an integer within the bounds. Anything else becomes the default. */
export function readMusicDuration({ value, parameter }: Field): number | undefined {
  if (!parameter) return undefined;
  const seconds = numberOf(value);
  const isValid =
    seconds !== undefined && Number.isInteger(seconds) && clamped(seconds, parameter) === seconds;
  return isValid ? seconds : defaultOf(parameter);
}

/** Reads a weight, clamped and rounded to two decimals. Anything but a number becomes the default. */
export function readWeight({ value, parameter }: Field): number | undefined {
  if (!parameter) return undefined;
  const weight = numberOf(value);
  return weight === undefined ? defaultOf(parameter) : Math.round(clamped(weight, parameter) * 100) / 100;
}

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
