import { readFileSync } from "node:fs";
import { GENERATION_TYPES, type GenerationType, type Model } from "../../contract/model.js";
import type { Mapping } from "../../mapping/mapping.js";
import type { Rates, ServiceSettings } from "../../mapping/service-settings.js";
import { reasonOf } from "../../platform/reason-of.js";
import { catalogueFiles, joinedCatalogue } from "./catalogue-files.js";
import { entryProblems, shapeProblems } from "./check/entry-problems.js";
import { mappingProblems } from "./check/mapping-problems.js";
import { withWorkflows } from "./check/with-workflows.js";
import { type EntrySource, entrySchema, fileSchema } from "./entry-schema.js";
import { modelOfEntry } from "./model-of-entry.js";
import { type ReadWorkflow, workflowsBeside } from "./workflow-files.js";

/** `disabled` and `cabinet_only` entries are known, but rejected with an error of their own. */
export type EntryStatus = EntrySource["status"];

export interface CatalogueEntry {
  type: GenerationType;
  model_key: string;
  title: string;
  status: EntryStatus;
  isDefault: boolean;
  model: Model;
  provider: { name: string; model: string };
  /** Mappings by service. */
  mappings: Readonly<Record<string, readonly Mapping[]>>;
  tracks?: number;
  /** Own titles that it was sold under since the start. */
  formerTitles?: readonly string[];
  /** What the file says of it. */
  source: EntrySource;
}

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

export interface ServiceFacts {
  services: Readonly<Record<string, ServiceSettings>>;
  rates: Rates;
  /** Day on which the rates were looked up, as YYYY-MM-DD, where the file tells it. */
  ratesAt?: string | undefined;
}

/** Gives the catalogue of the moment. Whoever needs it asks each time, and keeps nothing of it. */
export interface CatalogueSource {
  current(): Catalogue;
}

export class Catalogue implements ServiceFacts {
  readonly entries: readonly CatalogueEntry[];
  readonly models: readonly Model[];
  readonly services: ServiceFacts["services"];
  readonly rates: Rates;
  readonly ratesAt: string | undefined;
  readonly #byKey: ReadonlyMap<string, CatalogueEntry>;

  constructor(entries: readonly CatalogueEntry[], { services, rates, ratesAt }: ServiceFacts) {
    this.entries = entries;
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
    return (
      active.find(({ isDefault }) => isDefault) ?? active[0] ?? ofType.find(({ isDefault }) => isDefault)
    );
  }

  keysOf(type: GenerationType): string[] {
    return this.models.filter((model) => model.type === type).map((model) => model.model_key);
  }
}

/** Reads a catalogue of one file, or of several, separated by commas. Throws CatalogueError. */
export function loadCatalogue(files: string): Catalogue {
  const names = catalogueFiles(files);
  return parseCatalogue(joinedCatalogue(names.map(jsonOf)), files, workflowsBeside(names));
}

function jsonOf(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new CatalogueError(file, [`cannot be read: ${reasonOf(error)}`]);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CatalogueError(file, [`is not valid JSON: ${reasonOf(error)}`]);
  }
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
  const sources: EntrySource[] = [];
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
    const bound = withWorkflows(model, entry.mappings, readWorkflow);
    report([
      ...entryProblems(entry, style_presets),
      ...mappingProblems(model, entry.mappings),
      ...bound.problems,
    ]);
    sources.push(entry);
    entries.push(entryOf(entry, model, bound.mappings));
  }
  problems.push(...duplicateProblems(models.map(nameOf)));
  // A broken entry may be the missing one, so what names others is checked only when all entries are valid.
  if (sources.length === models.length)
    problems.push(...defaultProblems(sources), ...successorProblems(sources));
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

export function entryOf(
  source: EntrySource,
  model: Model,
  mappings: CatalogueEntry["mappings"],
): CatalogueEntry {
  return {
    type: source.type,
    model_key: source.model_key,
    title: source.title,
    status: source.status,
    isDefault: source.default,
    model,
    provider: source.provider,
    mappings,
    source,
    ...(source.type === "music" && { tracks: source.tracks }),
  };
}

function nameOf(candidate: unknown, index: number): string {
  const key =
    typeof candidate === "object" && candidate !== null ? Reflect.get(candidate, "model_key") : undefined;
  return typeof key === "string" && key !== "" ? key : `entry ${index + 1}`;
}
