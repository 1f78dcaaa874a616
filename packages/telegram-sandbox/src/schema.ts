import { readFileSync } from "node:fs";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";

/** The part of JSON Schema that the generated file uses. */
export interface JsonSchema {
  type?: string | readonly string[];
  $ref?: string;
  anyOf?: readonly JsonSchema[];
  enum?: readonly unknown[];
  const?: unknown;
  properties?: Readonly<Record<string, JsonSchema>>;
}

interface SchemaFile {
  methods: Record<string, { params: string | null; result: JsonSchema }>;
  definitions: Record<string, JsonSchema>;
}

const DEFINITIONS_ID = "bot-api";
const SCHEMA_FILE = new URL("schema/bot-api.json", import.meta.url);
const ERRORS_SHOWN_MAX = 4;

/**
 * The Bot API schema that `scripts/bot-api-schema.mjs` makes from `@gramio/types`. Validators are
 * compiled at their first use and kept.
 */
export class BotApiSchema {
  readonly #methods: SchemaFile["methods"];
  readonly #definitions: SchemaFile["definitions"];
  readonly #names: ReadonlyMap<string, string>;
  readonly #ajv = new Ajv({ strict: false, validateFormats: false, verbose: true });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(file: SchemaFile) {
    this.#methods = file.methods;
    this.#definitions = file.definitions;
    this.#names = new Map(Object.keys(file.methods).map((name) => [name.toLowerCase(), name]));
    this.#ajv.addSchema({ $id: DEFINITIONS_ID, definitions: file.definitions });
  }

  /** Compiles what every test meets, so that no request stops the event loop for half a second. */
  prepare(): void {
    this.checkUpdate({});
    this.checkParams("sendMessage", {});
    this.checkResult("sendMessage", {});
  }

  /** The method's own spelling; names in requests are case-insensitive. */
  methodNamed(name: string): string | undefined {
    return this.#names.get(name.toLowerCase());
  }

  /** The schema of each parameter of a method. */
  paramsOf(method: string): Readonly<Record<string, JsonSchema>> {
    const name = this.#methods[method]?.params;
    return (name && this.#definitions[name]?.properties) || {};
  }

  /** What a schema says once references are followed. */
  resolve(schema: JsonSchema): JsonSchema {
    const name = schema.$ref?.replace("#/definitions/", "");
    return (name && this.#definitions[name]) || schema;
  }

  /** What is wrong with the parameters of a call; empty when nothing is. */
  checkParams(method: string, params: object): string[] {
    const name = this.#methods[method]?.params;
    if (!name) return Object.keys(params).map((param) => `unknown parameter ${param}`);
    return this.#check(name, () => ({ $ref: `${DEFINITIONS_ID}#/definitions/${name}` }), params);
  }

  /** What is wrong with the result of a call; empty when nothing is. */
  checkResult(method: string, result: unknown): string[] {
    const schema = this.#methods[method]?.result;
    return schema ? this.#check(`${method} result`, () => absolute(schema), result) : [];
  }

  /** What is wrong with an update that is about to be queued; empty when nothing is. */
  checkUpdate(update: unknown): string[] {
    return this.#check("update", () => ({ $ref: `${DEFINITIONS_ID}#/definitions/TelegramUpdate` }), update);
  }

  #check(key: string, schema: () => object, value: unknown): string[] {
    const validator = this.#validators.getOrInsertComputed(key, () => this.#ajv.compile(schema()));
    return validator(value) ? [] : (validator.errors ?? []).slice(-ERRORS_SHOWN_MAX).map(describe);
  }
}

/** References of the generated file are relative to itself; here they stand outside of it. */
function absolute(schema: JsonSchema): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/definitions/', `"${DEFINITIONS_ID}#/definitions/`));
}

function describe(error: ErrorObject): string {
  const place = error.instancePath || "/";
  if (error.keyword === "additionalProperties") {
    return `${place} has an unknown property ${JSON.stringify(error.params.additionalProperty)}`;
  }
  const value = JSON.stringify(error.data)?.slice(0, 80);
  return `${place} ${error.message ?? error.keyword} (it is ${value})`;
}

let loaded: BotApiSchema | undefined;

/** Reads the generated file once a process. */
export function loadBotApiSchema(): BotApiSchema {
  if (loaded) return loaded;
  loaded = new BotApiSchema(JSON.parse(readFileSync(SCHEMA_FILE, "utf8")) as SchemaFile);
  loaded.prepare();
  return loaded;
}
