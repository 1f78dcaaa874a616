import { z } from "zod";

/** An address of a file, or the file itself as `data:`. */
export const link = z.string().regex(/^(https?:\/\/|data:)/);

export function links(max: number) {
  return z.array(link).min(1).max(max);
}

/** A required text. */
export function text(max: number, min = 1) {
  return z.string().min(min).max(max);
}

export function choice<const Values extends readonly [string, ...string[]]>(...values: Values) {
  return z.enum(values).optional();
}

export function whole(min: number, max: number) {
  return z.int().min(min).max(max).optional();
}

export const flag = z.boolean().optional();
export const seed = z.int().min(0).optional();
