import type { Upload } from "./upload.js";

export type Json = Record<string, unknown>;

export function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A copy without the keys whose value is undefined: the Bot API leaves absent fields out. */
export function present<T extends object>(value: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T;
}

/**
 * The parameters of one call. Requests are hostile until proven otherwise: a getter answers
 * `undefined` for a value of another type, and the schema check reports it elsewhere.
 */
export class Params {
  constructor(
    readonly values: Json,
    readonly uploads: ReadonlyMap<string, Upload> = new Map(),
  ) {}

  has(name: string): boolean {
    return this.values[name] !== undefined && this.values[name] !== null;
  }

  text(name: string): string | undefined {
    const value = this.values[name];
    if (typeof value === "string") return value;
    return typeof value === "number" ? String(value) : undefined;
  }

  integer(name: string): number | undefined {
    const value = this.values[name];
    return typeof value === "number" && Number.isSafeInteger(value) ? value : undefined;
  }

  flag(name: string): boolean {
    return this.values[name] === true;
  }

  record(name: string): Json | undefined {
    const value = this.values[name];
    return isRecord(value) ? value : undefined;
  }

  list(name: string): readonly unknown[] | undefined {
    const value = this.values[name];
    return Array.isArray(value) ? value : undefined;
  }

  /** The same call's uploads with the values of an object inside it, such as one item of an album. */
  inside(values: Json): Params {
    return new Params(values, this.uploads);
  }
}
