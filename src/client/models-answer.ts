import { z } from "zod";
import { GENERATION_TYPES, type Model, type ModelParameter, type ParameterValue } from "../contract/model.js";
import { readFields } from "./read-answer.js";
import { WrongAnswerError } from "./wrong-answer-error.js";

const value = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
const choice = z.union([z.string(), z.number()]);
const bound = z.number().optional().catch(undefined);

const parameter = z.object({
  type: z.enum(["string", "integer", "number", "boolean", "array<string>"]),
  required: z.boolean().catch(false),
  values: z.array(choice).optional().catch(undefined),
  min: bound,
  max: bound,
  default: value.nullish().catch(undefined),
  note: z.string().optional().catch(undefined),
});

const price = z.number().min(0);
const row = z.record(z.string(), price);
const about = z.object({ en: z.string(), ru: z.string() });

const model = z.object({
  type: z.enum(GENERATION_TYPES),
  model_key: z.string().min(1),
  title: z.string().min(1),
  price_rub: z.union([price, row, z.record(z.string(), z.union([row, z.record(z.string(), row)]))]),
  defaults: z.record(z.string(), z.unknown()).catch({}),
  parameters: z.record(z.string(), z.unknown()),
  price_factors: z.object({ sound: bound, fast: bound }).optional().catch(undefined),
  about: about.optional().catch(undefined),
});

const modelsAnswer = z.object({ models: z.array(z.unknown()) });

export interface ModelsAnswer {
  models: readonly Model[];
  /** Why entries were left out, with their keys. */
  problems: readonly string[];
}

/**
 * An entry that cannot be read is left out.
 * @throws WrongAnswerError when there are entries and none can be read
 */
export function readModels(body: unknown): ModelsAnswer {
  const entries = readFields(modelsAnswer, body).models;
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
  return { models, problems };
}

function readModel(entry: unknown): Model {
  const { type, model_key, title, price_rub, defaults, parameters, price_factors, about } = readFields(
    model,
    entry,
  );
  return {
    type,
    model_key,
    title,
    price_rub,
    defaults: mapValues(defaults, readValue),
    parameters: mapValues(parameters, readParameter),
    ...(price_factors && { price_factors: withoutUndefined(price_factors) }),
    ...(about && { about }),
  };
}

function readValue(given: unknown): ParameterValue | null {
  const result = value.safeParse(given);
  return result.success ? result.data : null;
}

/** A parameter of an unknown kind cannot be set: the service's own default counts. */
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
