import type { GenerationRequest } from "../contract/request.js";
import { fieldOf } from "./condition.js";
import { Evaluation, RefusedFieldError } from "./evaluate.js";
import { expectedCost } from "./expected-cost.js";
import type { Json } from "./json.js";
import type { Mapping } from "./mapping.js";
import type { Operation } from "./operation.js";
import { boundWorkflow } from "./workflow.js";

export interface RefusedRequest {
  refusedField: string;
  /** True for a text below the mapping's minimum. */
  isTooShort?: boolean;
}

export interface MappedInput {
  input: Readonly<Record<string, Json>>;
}

/** What is known when a request is submitted: `$seed`, `$tracks` and `$callback_url` in a mapping. */
export interface MappingContext {
  seed: number;
  tracks: number;
  callbackUrl: string;
}

export const CONTEXT_FIELDS: readonly string[] = ["seed", "tracks", "callback_url"];

const SPARE_TRACKS = 2;

const OF_THE_CORE: readonly string[] = ["type", "model_key", "count", "video_input_mode"];

/** Text that a mode of music leaves unused (section 9). */
const UNUSED_TEXT: Readonly<Record<string, string>> = { description: "lyrics", lyrics: "description" };

/** Builds the call that makes a request. Nothing is sent, and no field is dropped. */
export function operationOf(
  mapping: Mapping,
  request: GenerationRequest,
  context: MappingContext,
): Operation | RefusedRequest {
  const made = mappedInput(mapping, request, context);
  return "refusedField" in made ? made : operationWith(mapping, request, made.input, context);
}

/** Builds the operation. @param input what `mappedInput` made of the request */
export function operationWith(
  mapping: Mapping,
  request: GenerationRequest,
  input: MappedInput["input"],
  { tracks }: Pick<MappingContext, "tracks">,
): Operation {
  const cost = expectedCost(mapping, request);
  return {
    ...(mapping.api !== undefined && { api: mapping.api }),
    endpoint: mapping.endpoint,
    input: mapping.workflow ? boundWorkflow(mapping.workflow, input) : input,
    output: mapping.output,
    poll: mapping.poll,
    // A job of a picture or a video is one file. A service may make more songs than it was asked for.
    takes: mapping.output.kind === "audio" ? tracks + SPARE_TRACKS : 1,
    ...(cost && { cost }),
    ...(mapping.cost?.unit !== undefined && {
      unit: { amount: mapping.cost.unit, currency: mapping.cost.currency },
    }),
    ...(mapping.cost?.units !== undefined && {
      units: { amounts: mapping.cost.units, currency: mapping.cost.currency },
    }),
  };
}

/** Maps the input alone, without the conditions of the mapping. */
export function mappedInput(
  mapping: Mapping,
  request: GenerationRequest,
  { seed, tracks, callbackUrl }: MappingContext,
): MappedInput | RefusedRequest {
  const excess = fieldBeyondLimits(mapping, request);
  if (excess !== undefined) return { refusedField: excess };
  const short = fieldBelowMinima(mapping, request);
  if (short !== undefined) return { refusedField: short, isTooShort: true };
  const evaluation = new Evaluation(request, { seed, tracks, callback_url: callbackUrl });
  try {
    const input = evaluation.object(mapping.input);
    const unused = unusedField(mapping, request, evaluation.used);
    return unused === undefined ? { input } : { refusedField: unused };
  } catch (error) {
    if (error instanceof RefusedFieldError) return { refusedField: error.field };
    throw error;
  }
}

function fieldBeyondLimits({ limits }: Mapping, request: GenerationRequest): string | undefined {
  return Object.entries(limits).find(([field, max]) => {
    const value = fieldOf(request, field);
    if (typeof value === "number") return value > max;
    if (typeof value === "string") return value.length > max && [...value].length > max;
    return typeof value === "object" && value.length > max;
  })?.[0];
}

function fieldBelowMinima({ minima }: Mapping, request: GenerationRequest): string | undefined {
  return Object.entries(minima).find(([field, min]) => {
    const value = fieldOf(request, field);
    return typeof value === "string" && [...value].length < min;
  })?.[0];
}

function unusedField(
  mapping: Mapping,
  request: GenerationRequest,
  used: ReadonlySet<string>,
): string | undefined {
  return Object.keys(request).find(
    (field) =>
      fieldOf(request, field) !== undefined &&
      !used.has(field) &&
      !OF_THE_CORE.includes(field) &&
      !Array.isArray(mapping.when[field]) &&
      !Object.hasOwn(mapping.ignores, field) &&
      UNUSED_TEXT[String(request.mode)] !== field,
  );
}
