import type { Json } from "../../../catalogue/json.js";

/** One way to fill a field. An absent bound limits nothing. */
export interface PublishedWay {
  /** Names of JSON Schema, such as `integer`. */
  types?: readonly string[] | undefined;
  values?: readonly Json[] | undefined;
  /** Bounds of a number. */
  min?: number | undefined;
  max?: number | undefined;
  lengthMin?: number | undefined;
  lengthMax?: number | undefined;
  countMin?: number | undefined;
  countMax?: number | undefined;
  items?: readonly PublishedWay[] | undefined;
  fields?: PublishedFields | undefined;
}

/** A field of a model's input, as its service describes it. */
export interface PublishedField {
  isRequired: boolean;
  /** The value taken where the field is not sent. */
  fallback?: Json | undefined;
  /** The ways to fill it: a value fits that fits one of them. Every value fits where there is none. */
  ways: readonly PublishedWay[];
}

export type PublishedFields = Readonly<Record<string, PublishedField>>;

export type SentInput = Readonly<Record<string, Json>>;

export interface PublishedPrice {
  amount: number;
  currency: string;
}

/** One of the prices of a model, where the service does not say in a readable way when it is asked. */
export interface ListedPrice extends PublishedPrice {
  per: "task" | "second";
}

export interface PublishedModel {
  /** Undefined where the service does not describe them. */
  fields?: PublishedFields | undefined;
  notes?: readonly string[];
  /** True where `fields` are all that the model reads: it drops any other. */
  readsNoOther: boolean;
  /** Returns the price of one task with this input; undefined where the service does not tell it. */
  priceOf?: ((input: SentInput) => PublishedPrice | undefined) | undefined;
  priceList?: readonly ListedPrice[] | undefined;
}

/** What a service publishes under one id. */
export type PublishedEntry =
  | { kind: "model"; model: PublishedModel }
  | { kind: "missing" }
  /** What is published has nothing of it, and may have it under another name. */
  | { kind: "untold"; reason: string }
  | { kind: "unreadable"; reason: string };

/** Reports that an entry cannot be read. The reason has words of the service, so it is cut. */
export function unreadable(reason: string): PublishedEntry {
  return { kind: "unreadable", reason: reason.replace(/\s+/g, " ").slice(0, 200) };
}

export function findField(fields: PublishedFields, name: string): PublishedField | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}
