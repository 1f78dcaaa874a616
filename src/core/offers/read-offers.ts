import { readFileSync, statSync } from "node:fs";
import { reasonOf } from "../../platform/reason-of.js";
import { MEGABYTE } from "../../platform/units.js";
import { shapeProblems } from "../catalogue/check/entry-problems.js";
import { type OffersFile, offersSchema } from "./offers-schema.js";

/** Reports an invalid offers file, in one line that names each field. */
export class OffersError extends Error {
  override readonly name = "OffersError";
  constructor(source: string, problems: readonly string[]) {
    super(`${source}: ${problems.join("; ")}`);
  }
}

const FILE_BYTES_MAX = MEGABYTE;

/** Reads the operator's offers. Throws OffersError. */
export function readOffers(file: string): OffersFile {
  return parseOffers(jsonOf(file), file);
}

/** Throws OffersError with all problems at once. */
export function parseOffers(json: unknown, source: string): OffersFile {
  const parsed = offersSchema.safeParse(json);
  if (!parsed.success) throw new OffersError(source, shapeProblems(parsed.error));
  return parsed.data;
}

function jsonOf(file: string): unknown {
  const text = textOf(file);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new OffersError(file, [`is not valid JSON: ${reasonOf(error)}`]);
  }
}

function textOf(file: string): string {
  try {
    if (statSync(file).size <= FILE_BYTES_MAX) return readFileSync(file, "utf8");
  } catch (error) {
    throw new OffersError(file, [`cannot be read: ${reasonOf(error)}`]);
  }
  throw new OffersError(file, [`is larger than ${FILE_BYTES_MAX / MEGABYTE} MB: it is no file of offers`]);
}
