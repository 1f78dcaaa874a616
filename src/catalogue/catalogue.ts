import { existsSync } from "node:fs";
import { GENERATION_TYPES, type GenerationType, type Model, type ModelParameter } from "../contract/model.js";
import { readJsonFile } from "../platform/json.js";
import { entryProblems, shapeProblems } from "./entry-problems.js";
import { type EntrySource, entrySchema, fileSchema, SETTINGS } from "./entry-schema.js";
import type { Mapping } from "./mapping.js";
import { boundMappings } from "./mapping-problems.js";
import type { Rates, ServiceSettings } from "./operation.js";
import { type ReadWorkflow, workflowsBeside } from "./workflow.js";

/**
 * What the file says of a model, and in `model` what GET /models tells of it, with the prices that are charged. `disabled`
 * and `cabinet_only` entries are known, but rejected with an error of their own.
 */
export type CatalogueEntry = EntrySource & {
  model: Model;
  /** Mappings by service, with the workflows that they name. */
  mappings: Readonly<Record<string, readonly Mapping[]>>;
  tracks?: number;
  /** Own titles that it was sold under since the start. */
  formerTitles?: readonly string[];
};

/** Reports an invalid catalogue. Each problem names the entry and the field. */
export class CatalogueError extends Error {
  override readonly name = "CatalogueError";
  constructor(
    readonly source: string,
    readonly problems: readonly string[],
  ) {
    super(`${source}: ${problems.join("; ")}`);
  }
}

/** Gives the catalogue of the moment. Whoever needs it asks each time, and keeps nothing of it. */
export interface CatalogueSource {
  current(): Catalogue;
}

export class Catalogue {
  readonly models: readonly Model[];
  readonly services: Readonly<Record<string, ServiceSettings>>;
  readonly rates: Rates;
  /** Day on which the rates were looked up, as YYYY-MM-DD, where the file tells it. */
  readonly ratesAt: string | undefined;
  readonly #byKey: ReadonlyMap<string, CatalogueEntry>;

  constructor(
    readonly entries: readonly CatalogueEntry[],
    { services, rates, ratesAt }: Pick<Catalogue, "services" | "rates" | "ratesAt">,
  ) {
    this.services = services;
    this.rates = rates;
    this.ratesAt = ratesAt;
    this.models = entries.filter(({ status }) => status === "active").map(({ model }) => model);
    this.#byKey = new Map(entries.map((entry) => [entry.model_key, entry]));
  }

  /** Finds an entry of any status. The `music:` prefix of a music key is optional. */
  find(type: GenerationType, key: string): CatalogueEntry | undefined {
    const entry = this.#byKey.get(type === "music" && !key.startsWith("music:") ? `music:${key}` : key);
    return entry?.type === type ? entry : undefined;
  }

  /** Falls back to the first active model where the default is not active. Undefined for a kind that is not offered. */
  defaultOf(type: GenerationType): CatalogueEntry | undefined {
    const ofType = this.entries.filter((entry) => entry.type === type);
    const active = ofType.filter(({ status }) => status === "active");
    return active.find((entry) => entry.default) ?? active[0] ?? ofType.find((entry) => entry.default);
  }

  keysOf(type: GenerationType): string[] {
    return this.models.filter((model) => model.type === type).map((model) => model.model_key);
  }
}

/** Reads a catalogue of one file, or of several, separated by commas. Throws CatalogueError. */
export function loadCatalogue(files: string): Catalogue {
  const names = catalogueFiles(files);
  const read = (name: string) => readJsonFile(name, (problem) => new CatalogueError(name, [problem]));
  return parseCatalogue(joinedCatalogue(names.map(read)), files, workflowsBeside(names));
}

/** Reports all problems at once, in a CatalogueError. The workflows stand beside the file `source`. */
export function parseCatalogue(
  json: unknown,
  source: string,
  readWorkflow: ReadWorkflow = workflowsBeside([source]),
): Catalogue {
  const file = fileSchema.safeParse(json);
  if (!file.success) throw new CatalogueError(source, shapeProblems(file.error));
  const { style_presets, services, rates, rates_at: ratesAt, models } = file.data;
  const problems: string[] = [];
  const entries: CatalogueEntry[] = [];
  for (const [index, candidate] of models.entries()) {
    const name = nameOf(candidate, index);
    const report = (found: readonly string[]) =>
      problems.push(...found.map((problem) => `${name}: ${problem}`));
    const parsed = entrySchema.safeParse(candidate);
    if (!parsed.success) {
      report(shapeProblems(parsed.error));
      continue;
    }
    const { data: entry } = parsed;
    const model = modelOfEntry(entry);
    const bound = boundMappings(model, entry.mappings, readWorkflow);
    report([...entryProblems(entry, style_presets), ...bound.problems]);
    entries.push({ ...entry, model, mappings: bound.mappings });
  }
  problems.push(...duplicateProblems(models.map(nameOf)));
  // A broken entry may be the missing one, so what names others is checked only when all entries are valid.
  if (entries.length === models.length)
    problems.push(...defaultProblems(entries), ...successorProblems(entries));
  if (problems.length > 0) throw new CatalogueError(source, problems);
  return new Catalogue(entries, { services, rates, ratesAt });
}

function duplicateProblems(names: readonly string[]): string[] {
  const repeated = names.filter((name, index) => names.indexOf(name) !== index);
  return [...new Set(repeated)].map((name) => `${name}: model_key: stands more than once`);
}

function defaultProblems(entries: readonly EntrySource[]): string[] {
  return GENERATION_TYPES.flatMap((type) => {
    const ofType = entries.filter((entry) => entry.type === type);
    const defaults = ofType.filter((entry) => entry.default);
    const [first] = defaults;
    // A kind may have no model; a single active one is the default without saying so.
    const isOpen = ofType.filter(({ status }) => status === "active").length > 1;
    if (!first) return isOpen ? [`default: no ${type} model is marked as the default`] : [];
    if (defaults.length > 1) {
      return defaults
        .slice(1)
        .map((entry) => `${entry.model_key}: default: ${first.model_key} is it already`);
    }
    return first.status === "active" ? [] : [`${first.model_key}: default: only an active model can be it`];
  });
}

/** Checks that a successor can be ordered and has none itself. */
function successorProblems(entries: readonly EntrySource[]): string[] {
  return entries.flatMap(({ model_key, type, successor }) => {
    if (successor === undefined) return [];
    const found = entries.find((entry) => entry.model_key === successor && entry.type === type);
    const isGood = found?.status === "active" && found.successor === undefined;
    return isGood ? [] : [`${model_key}: successor: ${successor} is no active ${type} model without one`];
  });
}

function nameOf(candidate: unknown, index: number): string {
  const key = isFields(candidate) ? candidate.model_key : undefined;
  return typeof key === "string" && key !== "" ? key : `entry ${index + 1}`;
}

/** Returns the names of catalogue files, which commas separate. A file whose name has a comma is one. */
export function catalogueFiles(given: string): string[] {
  if (existsSync(given)) return [given];
  const names = given.split(",").map((name) => name.trim());
  const named = names.filter((name) => name !== "");
  return named.length > 0 ? named : [given];
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Joins catalogues: a later one adds models, services, rates and styles, or replaces those of the same names. What has
 * another shape stays as it is, for the schema to refuse.
 */
export function joinedCatalogue(catalogues: readonly unknown[]): unknown {
  return catalogues.reduce((first, next) => {
    if (!isFields(first)) return first;
    return isFields(next) ? joined(first, next) : next;
  });
}

function joined(first: Fields, next: Fields): Fields {
  const both = { ...first, ...next };
  for (const name of ["services", "rates"])
    if (isFields(first[name]) && isFields(next[name])) both[name] = { ...first[name], ...next[name] };
  const [styles, more] = [first.style_presets, next.style_presets];
  if (Array.isArray(styles) && Array.isArray(more)) both.style_presets = [...new Set([...styles, ...more])];
  if (Array.isArray(first.models) && Array.isArray(next.models))
    both.models = withModels(first.models, next.models);
  return both;
}

/** A replaced model keeps its place. */
function withModels(first: readonly unknown[], next: readonly unknown[]): unknown[] {
  const keys = first.map(keyOf);
  const replaced = first.map((model, index) => next.find((one) => keyOf(one) === keys[index]) ?? model);
  return [...replaced, ...next.filter((model) => !keys.includes(keyOf(model)))];
}

function keyOf(model: unknown): unknown {
  return isFields(model) ? (model.model_key ?? model) : model;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Finds what is offered, or the entry of this key in any status. The `music:` prefix is optional. */
export function findEntries({ entries }: Catalogue, key: string | undefined): readonly CatalogueEntry[] {
  if (key === undefined) return entries.filter(({ status }) => status === "active");
  return entries.filter(({ model_key }) => model_key === key || model_key === `music:${key}`);
}

/** Converts an entry to what GET /models returns: section 2.2 with the extensions of this service. */
export function modelOfEntry(source: EntrySource): Model {
  const parameters = parametersOf(source);
  const { type, model_key, title, about, price_rub } = source;
  const defaults = Object.fromEntries(
    SETTINGS[type].map((name) => [name, parameters[name]?.default ?? null]),
  );
  const { sound_factor: sound, fast_factor: fast } = {
    sound_factor: undefined,
    fast_factor: undefined,
    ...source,
  };
  const price_factors = { ...(sound !== undefined && { sound }), ...(fast !== undefined && { fast }) };
  return {
    type,
    model_key,
    title,
    price_rub,
    defaults,
    parameters,
    about,
    ...(Object.keys(price_factors).length > 0 && { price_factors }),
    ...(source.successor !== undefined && { successor: source.successor }),
  };
}

function parametersOf(source: EntrySource): Model["parameters"] {
  if (source.type !== "video") return source.parameters;
  const { sound, video_speed_mode } = source.parameters;
  return {
    ...source.parameters,
    video_speed_mode: withFactor(video_speed_mode, "Fast", source.fast_factor),
    sound: withFactor(sound, "Sound", source.sound_factor),
  };
}

/** States the factor in the note, because section 2.2 has no field for it. */
function withFactor(
  parameter: ModelParameter | null,
  what: string,
  factor: number | undefined,
): ModelParameter | null {
  if (!parameter || factor === undefined) return parameter;
  const told = `${what} multiplies the price by ${factor}; the final price is rounded up to a whole ruble`;
  return { ...parameter, note: parameter.note === undefined ? told : `${parameter.note}. ${told}` };
}
