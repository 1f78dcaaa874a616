// Makes src/schema/bot-api.json, the JSON Schema that the sandbox checks every request
// and every answer against, from the types of @gramio/types. Run it after that package changes:
//   node packages/telegram-sandbox/scripts/bot-api-schema.mjs
import { readFileSync, writeFileSync } from "node:fs";
import { createGenerator } from "ts-json-schema-generator";

const types = new URL("../../../node_modules/@gramio/types/out/", import.meta.url);
const target = new URL("../src/schema/bot-api.json", import.meta.url);

/** Numbers that are integers by the Bot API's text; the types say only `number`. */
const INTEGER =
  /(^|_)(id|ids|date|offset|length|duration|size|limit|timeout|count|amount|width|height|time|period)$/;

/** @returns {Record<string, { params: string | null, result: object }>} the methods by name */
function readMethods() {
  const source = readFileSync(new URL("methods.d.ts", types), "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
  const body = source.slice(source.indexOf("export interface APIMethods"));
  const call = /(\w+): CallAPI(WithOptionalParams|WithoutParams|)<\s*([^>]*?),?\s*>/g;
  const methods = {};
  for (const [, name = "", kind, args = ""] of body.matchAll(call)) {
    const parts = args.split(",").map((part) => part.trim());
    const params = kind === "WithoutParams" ? null : (parts[0] ?? "").replace("Params.", "");
    methods[name] = { params, result: resultSchema(parts.at(-1)) };
  }
  return methods;
}

/** The schema of a result as methods.d.ts writes it: names, arrays, literals and unions of these. */
function resultSchema(text) {
  const options = text
    .split("|")
    .map((option) => option.trim())
    .filter(Boolean);
  if (options.length > 1) return { anyOf: options.map(resultSchema) };
  const [option] = options;
  if (option.endsWith("[]")) return { type: "array", items: resultSchema(option.slice(0, -2)) };
  if (option === "true") return { const: true };
  if (option === "string" || option === "number") return { type: option };
  return { $ref: `#/definitions/${option.replace("Objects.", "")}` };
}

function readDefinitions(names) {
  const generator = createGenerator({
    path: new URL("index.d.ts", types).pathname,
    type: "*",
    expose: "all",
    topRef: true,
    jsDoc: "none",
    functions: "hide",
    skipTypeCheck: true,
    additionalProperties: false,
  });
  const definitions = {};
  for (const name of names) Object.assign(definitions, generator.createSchema(name).definitions);
  return definitions;
}

/** Alternatives of the types that only exist in TypeScript: `{ toJSON() }` and `{ toString() }`. */
function isCodeOnly(schema) {
  const required = schema.required ?? [];
  return required.length === 1 && (required[0] === "toJSON" || required[0] === "toString");
}

/** A definition that TypeScript computed has no name of its own (`Exclude<…>`): it is put in place. */
function inlined(schema, definitions) {
  const name = decodeURIComponent(schema.$ref?.replace("#/definitions/", "") ?? "");
  return /^\w*$/.test(name) ? schema : definitions[name];
}

function tidy(given, definitions, property = "") {
  if (Array.isArray(given)) return given.map((item) => tidy(item, definitions, property));
  if (typeof given !== "object" || given === null) return given;
  const schema = inlined(given, definitions);
  if (schema.$ref === "#/definitions/TelegramInputFile") return { type: "string" };
  const copy = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === "properties") {
      const tidied = Object.entries(value).map(([name, of]) => [name, tidy(of, definitions, name)]);
      copy.properties = Object.fromEntries(tidied);
    } else copy[key] = tidy(value, definitions, property);
  }
  if (copy.type === "number" && INTEGER.test(property)) copy.type = "integer";
  if (Array.isArray(copy.type) && INTEGER.test(property)) {
    copy.type = copy.type.map((type) => (type === "number" ? "integer" : type));
  }
  return copy.anyOf ? tidyUnion(copy) : copy;
}

/** Drops what only TypeScript knows and what stands twice, and unwraps a union of one. */
function tidyUnion(schema) {
  const kept = new Map();
  for (const option of schema.anyOf) if (!isCodeOnly(option)) kept.set(JSON.stringify(option), option);
  const anyOf = [...kept.values()];
  return anyOf.length === 1 ? anyOf[0] : { ...schema, anyOf };
}

/** The definitions that `roots` reach, sorted by name so that the file changes little. */
function reachable(definitions, roots) {
  const found = new Set();
  const visit = (schema) => {
    for (const [, name = ""] of JSON.stringify(schema).matchAll(/"#\/definitions\/([^"]+)"/g)) {
      if (found.has(name)) continue;
      found.add(name);
      visit(definitions[name]);
    }
  };
  visit(roots);
  return Object.fromEntries([...found].sort().map((name) => [name, definitions[name]]));
}

const version = JSON.parse(readFileSync(new URL("../package.json", types), "utf8")).version;
const methods = readMethods();
const objects = ["TelegramUpdate", "TelegramMessage"];
const roots = [...Object.values(methods).flatMap(({ params }) => params ?? []), ...objects];
const resultNames = [...JSON.stringify(methods).matchAll(/definitions\/(\w+)/g)].map(([, name]) => name);
const read = readDefinitions(new Set([...roots, ...resultNames]));
const definitions = Object.fromEntries(Object.entries(read).map(([name, of]) => [name, tidy(of, read)]));
const referenced = { methods, roots: roots.map((name) => ({ $ref: `#/definitions/${name}` })) };
const schema = {
  source: `@gramio/types ${version}`,
  methods,
  definitions: reachable(definitions, referenced),
};
writeFileSync(target, `${JSON.stringify(schema)}\n`);
