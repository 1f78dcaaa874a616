import { z } from "zod";
import { GENERATION_TYPES, type Model, type ModelParameter, type ParameterValue } from "../contract/model.js";
import { readPublicTitle } from "../contract/public-title.js";
import { amountRub, title, words } from "./bounds.js";
import { readFields } from "./read-answer.js";
import { WrongAnswerError } from "./wrong-answer-error.js";

/** The most models: a list for people to choose from ends long before. */
const MODELS_MAX = 500;
/** The most parameters of a model, and values of a parameter. */
const NAMES_MAX = 200;
const VALUES_MAX = 500;
const VALUE_LENGTH_MAX = 2048;
/** The most problems that the log names. */
const PROBLEMS_MAX = 20;

const hasFewNames = (record: object) => Object.keys(record).length <= NAMES_MAX;

const text = z.string().max(VALUE_LENGTH_MAX);
const value = z.union([text, z.number(), z.boolean(), z.array(text).max(VALUES_MAX)]);
const choice = z.union([text, z.number()]);
const bound = z.number().optional().catch(undefined);

const parameter = z.object({
  type: z.enum(["string", "integer", "number", "boolean", "array<string>"]),
  required: z.boolean().catch(false),
  values: z.array(choice).max(VALUES_MAX).optional().catch(undefined),
  min: bound,
  max: bound,
  default: value.nullish().catch(undefined),
  note: words.optional().catch(undefined),
});

const price = amountRub;
const row = z.record(text, price).refine(hasFewNames);
const about = z.object({ en: title, ru: title });

const model = z.object({
  type: z.enum(GENERATION_TYPES),
  model_key: text.min(1),
  title: z
    .string()
    .refine((given) => given.trim() !== "")
    .transform(readPublicTitle)
    .pipe(z.object({ title, isPreview: z.boolean() })),
  price_rub: z.union([
    price,
    row,
    z.record(text, z.union([row, z.record(text, row).refine(hasFewNames)])).refine(hasFewNames),
  ]),
  defaults: z.record(text, z.unknown()).catch({}),
  parameters: z.record(text, z.unknown()).refine(hasFewNames),
  price_factors: z.object({ sound: bound, fast: bound }).optional().catch(undefined),
  about: about.optional().catch(undefined),
  successor: text.min(1).optional().catch(undefined),
});

const modelsAnswer = z.object({ models: z.array(z.unknown()) });

export interface ModelsAnswer {
  models: readonly Model[];
  /** Why entries were omitted, with their keys. */
  problems: readonly string[];
  /** The number of models that the service has, where the list was cut. */
  cutFrom: number | undefined;
}

/** Omits unreadable entries. Throws WrongAnswerError when there are entries and none is readable. */
export function readModels(body: unknown): ModelsAnswer {
  const all = readFields(modelsAnswer, body).models;
  const entries = all.slice(0, MODELS_MAX);
  const models: Model[] = [];
  const problems: string[] = [];
  for (const [index, entry] of entries.entries()) {
    try {
      models.push(readModel(entry));
    } catch (error) {
      if (!(error instanceof WrongAnswerError)) throw error;
      problems.push(`models.${index}: ${error.message}`);
    }
  }
  if (models.length === 0 && problems.length > 0) throw new WrongAnswerError(problems[0]);
  return {
    models,
    problems: problems.slice(0, PROBLEMS_MAX),
    cutFrom: all.length > MODELS_MAX ? all.length : undefined,
  };
}

function readModel(entry: unknown): Model {
  const {
    type,
    model_key,
    title: shown,
    price_rub,
    defaults,
    parameters,
    price_factors,
    about,
    successor,
  } = readFields(model, entry);
  return {
    type,
    model_key,
    title: shown.title,
    price_rub,
    defaults: mapValues(defaults, readValue),
    parameters: mapValues(parameters, readParameter),
    ...(price_factors && { price_factors: withoutUndefined(price_factors) }),
    ...(about && { about }),
    ...(successor !== undefined && { successor }),
    ...(shown.isPreview && { isPreview: true }),
  };
}

function readValue(given: unknown): ParameterValue | null {
  const result = value.safeParse(given);
  return result.success ? result.data : null;
}

/** Reads a parameter. One of an unknown kind cannot be set: the service applies its default. */
function readParameter(given: unknown): ModelParameter | null {
  const result = parameter.safeParse(given);
  return result.success ? withoutUndefined(result.data) : null;
}

function mapValues<T>(
  record: Readonly<Record<string, unknown>>,
  read: (value: unknown) => T,
): Record<string, T> {
  return Object.fromEntries(Object.entries(record).map(([name, given]) => [name, read(given)]));
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

function withoutUndefined<T extends object>(given: T): Defined<T> {
  return Object.fromEntries(Object.entries(given).filter(([, held]) => held !== undefined)) as Defined<T>;
}
