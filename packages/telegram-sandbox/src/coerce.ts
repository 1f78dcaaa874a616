import { badRequest } from "./errors.js";
import { isRecord, type Json } from "./params.js";
import type { BotApiSchema, JsonSchema } from "./schema.js";

/**
 * Brings parameters that came as strings (forms, multipart, and JSON bodies that quote them) to the
 * types of the schema, as the real server does: it reads every argument from text. A null is left out.
 * @throws BotApiError for text that is no JSON where an object is expected, and for half a surrogate pair
 */
export function coerceParams(schema: BotApiSchema, method: string, raw: Json): Json {
  const schemas = schema.paramsOf(method);
  const entries = Object.entries(raw).filter(([, value]) => value !== null);
  const coerced = entries.map(([name, value]) => {
    const of = schemas[name];
    return [name, of && typeof value === "string" ? coerce(name, value, typesOf(schema, of)) : value];
  });
  const params: Json = Object.fromEntries(coerced);
  if (!isWellFormed(params)) throw badRequest("strings must be encoded in UTF-8");
  return params;
}

/** Names of parameters that are null, which the real server reads as the text "null". */
export function nullParams(raw: Json): string[] {
  return Object.keys(raw).filter((name) => raw[name] === null);
}

const HALF_SURROGATE_PAIR = /\p{Surrogate}/u;

/** False where a string inside holds half a surrogate pair. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return !HALF_SURROGATE_PAIR.test(value);
  if (Array.isArray(value)) return value.every(isWellFormed);
  return !isRecord(value) || Object.entries(value).flat().every(isWellFormed);
}

function coerce(name: string, value: string, types: ReadonlySet<string>): unknown {
  const isNumber = types.has("integer") || types.has("number");
  if (isNumber && /^-?\d+(\.\d+)?$/.test(value)) return Number(value);
  if (types.has("string")) return value;
  if (types.has("boolean")) return ["true", "yes", "1"].includes(value.toLowerCase());
  if (types.has("object") || types.has("array")) return parse(name, value);
  return value;
}

function parse(name: string, value: string): unknown {
  if (value === "") return undefined;
  try {
    return JSON.parse(value);
  } catch {
    throw badRequest(`can't parse ${WORDS[name] ?? name} JSON object`);
  }
}

/** The real server's words for the objects it reads. */
const WORDS: Readonly<Record<string, string>> = {
  reply_markup: "reply keyboard markup",
  reply_parameters: "reply parameters",
};

function typesOf(schema: BotApiSchema, of: JsonSchema): Set<string> {
  const resolved = schema.resolve(of);
  if (resolved.anyOf) return new Set(resolved.anyOf.flatMap((option) => [...typesOf(schema, option)]));
  if (typeof resolved.const === "boolean") return new Set(["boolean"]);
  if (Array.isArray(resolved.type)) return new Set(resolved.type);
  return new Set(typeof resolved.type === "string" ? [resolved.type] : []);
}
