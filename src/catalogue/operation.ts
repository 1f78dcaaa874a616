import { z } from "zod";
import type { GenerationRequest } from "../contract/request.js";
import { Evaluation, RefusedFieldError } from "./evaluate.js";
import { type Json, json } from "./json.js";
import {
  brokenCondition,
  type CostTable,
  fieldOf,
  type Mapping,
  type OutputSpec,
  outputSchema,
  pollSchema,
  type Value,
  valuesIn,
} from "./mapping.js";
import { boundWorkflow } from "./workflow.js";

const stepSchema = z.strictObject({
  every_ms: z.int().positive().max(60_000),
  /** Age of the task, from its acceptance, at which the next step begins. */
  until_sec: z.int().positive().exactOptional(),
});

/** Pauses between polls of a task, by its age. */
const stepsSchema = z
  .array(stepSchema)
  .min(1)
  .refine(
    (steps) =>
      steps.every(({ until_sec }, index) => (until_sec === undefined) === (index === steps.length - 1)),
    "every step but the last has an end",
  )
  .refine(
    (steps) =>
      steps.every(({ until_sec = Infinity }, index) => until_sec > (steps[index - 1]?.until_sec ?? 0)),
    "the ends of steps must ascend",
  );

/** Limits of one service, which stand in the catalogue file under `services`. */
export const serviceSettingsSchema = z.strictObject({
  concurrency: z.int().positive(),
  submits: z.strictObject({ count: z.int().positive(), per_ms: z.int().positive() }).exactOptional(),
  /** Limits the calls about tasks, results included. Tasks that would need more are polled less often. */
  polls_per_sec: z.number().positive().exactOptional(),
  /** Polls of tasks, by the kind of their files. Without it the `poll` of their mapping tells. */
  polls: z.partialRecord(z.enum(["image", "video", "audio"]), stepsSchema).exactOptional(),
});
export type ServiceSettings = z.infer<typeof serviceSettingsSchema>;

/** Rubles for one unit of a currency. */
export const ratesSchema = z.record(z.string().min(1), z.number().positive().max(1_000_000));
export type Rates = z.infer<typeof ratesSchema>;

/** Returns the rubles for one unit of a currency. A ruble without a rate is one. */
export function rateOf(currency: string, rates: Rates): number | undefined {
  if (Object.hasOwn(rates, currency)) return rates[currency];
  return currency === "RUB" ? 1 : undefined;
}

/** Amount as the service counts it, such as 0.08 USD or 12 kie_credit. */
const costSchema = z.object({
  amount: z.number(),
  currency: z.string(),
  /** Origin: told by the service with the task, computed from units, or taken from the catalogue. */
  source: z.enum(["upstream", "units", "catalogue"]),
});
export type Cost = z.infer<typeof costSchema>;

/** Generation request mapped for one service. Plain JSON: it is stored with its attempt. */
export const operationSchema = z.object({
  api: z.string().exactOptional(),
  endpoint: z.string(),
  input: z.record(z.string(), json),
  output: outputSchema,
  poll: pollSchema,
  /** Limits the files that are fetched of a task. Absent in rows of earlier releases. */
  takes: z.int().positive().exactOptional(),
  cost: costSchema.exactOptional(),
  /** Price of one unit, where the service tells the units of a task (fal). */
  unit: z.object({ amount: z.number(), currency: z.string() }).exactOptional(),
  /** Prices of units of several kinds, by the names that the service's adapter gives them. */
  units: z.object({ amounts: z.record(z.string(), z.number()), currency: z.string() }).exactOptional(),
});
export type Operation = z.infer<typeof operationSchema>;

/** File of a finished task, as the service tells it. */
export interface UpstreamFile {
  kind: "image" | "video" | "audio";
  source: { url: string } | { base64: string };
  coverUrl?: string;
  title?: string;
  durationSec?: number;
}

/** Limits a title, in code points. */
const TITLE_LENGTH_MAX = 200;
const DURATION_SEC_MAX = 86_400;
/** Files that are taken of a task whose row does not say how many. */
const TAKES = { image: 1, video: 1, audio: 4 } as const;

/** Returns the files that are fetched of a finished task, and how many it told; undefined where it told none. */
export function takenOutputs(
  { output, takes = TAKES[output.kind] }: Pick<Operation, "output" | "takes">,
  document: Json,
): { files: readonly UpstreamFile[]; told: number } | undefined {
  const told = readOutputs(output, document);
  return told && { files: told.slice(0, takes), told: told.length };
}

/** Returns the files that a finished task tells; undefined where it tells none. */
export function readOutputs(spec: OutputSpec, document: Json): readonly UpstreamFile[] | undefined {
  const files = valuesAt(document, spec.files);
  const of = (pointer: string | undefined) => (pointer === undefined ? [] : valuesAt(document, pointer));
  const [covers, titles, durations] = [of(spec.covers), of(spec.titles), of(spec.durations)];
  const found = files.flatMap((file, index): UpstreamFile[] => {
    const text = textOf(file);
    if (text === undefined) return [];
    const coverUrl = textOf(covers[index]);
    const title = cutText(textOf(titles[index]));
    const durationSec = secondsOf(durations[index]);
    return [
      {
        kind: spec.kind,
        source: spec.encoding === "base64" ? { base64: text } : { url: text },
        ...(coverUrl !== undefined && { coverUrl }),
        ...(title !== undefined && { title }),
        ...(durationSec !== undefined && { durationSec }),
      },
    ];
  });
  return found.length === 0 ? undefined : found;
}

/** Returns the values at a JSON pointer, with undefined where one lacks it: lists of several pointers stay in step. */
function valuesAt(document: Json, pointer: string): (Json | undefined)[] {
  const names = pointer
    .split("/")
    .slice(1)
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
  return names.reduce<(Json | undefined)[]>(
    (nodes, name) => nodes.flatMap((node) => step(node, name)),
    [document],
  );
}

/** Follows one step. `*` stands for each element of a list, and for what is no list itself. */
function step(node: Json | undefined, name: string): (Json | undefined)[] {
  if (name === "*") return Array.isArray(node) ? node : [node];
  if (typeof node !== "object" || node === null || !Object.hasOwn(node, name)) return [undefined];
  return [Reflect.get(node, name)];
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function cutText(text: string | undefined): string | undefined {
  if (text === undefined || text.length <= TITLE_LENGTH_MAX) return text;
  return [...text.slice(0, 2 * TITLE_LENGTH_MAX)].slice(0, TITLE_LENGTH_MAX).join("");
}

function secondsOf(value: Json | undefined): number | undefined {
  const seconds = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof seconds === "number" && seconds > 0 && seconds <= DURATION_SEC_MAX ? seconds : undefined;
}

/**
 * Operation that was sold, stored with its job at the acceptance: a later catalogue does not change it. Marks are texts that
 * stand in its input for addresses of references, which are known when it is sent.
 */
export const storedOperation = z.object({
  operation: operationSchema,
  marks: z.object({ references: z.array(z.string()) }),
});
export type SoldOperation = z.infer<typeof storedOperation>;

/** Replaces references by marks, which stand in no text of the request. */
export function markedRequest(
  request: GenerationRequest,
): Pick<SoldOperation, "marks"> & { request: GenerationRequest } {
  const text = JSON.stringify(request);
  let no = 0;
  while (text.includes(nameOf(no))) no += 1;
  const { start_frame_url: start, end_frame_url: end, reference_urls: pictures } = request;
  const frames = [start, end].filter((link) => typeof link === "string").length;
  const count = frames + (Array.isArray(pictures) ? pictures.length : 0);
  const references = Array.from({ length: count }, (_, index) => `https://${nameOf(no)}-${index}.invalid/`);
  return { request: withLinks(request, references), marks: { references } };
}

/** Replaces the links, in the order of the job's references: frames, then pictures. */
export function withLinks(request: GenerationRequest, links: readonly string[]): GenerationRequest {
  const left = [...links];
  const replaced: GenerationRequest = { ...request };
  for (const frame of ["start_frame_url", "end_frame_url"]) {
    const link = typeof request[frame] === "string" ? left.shift() : undefined;
    if (link !== undefined) replaced[frame] = link;
  }
  if (Array.isArray(request.reference_urls)) replaced.reference_urls = left;
  return replaced;
}

/** Puts addresses in the places of the marks. */
export function filledOperation({ operation, marks }: SoldOperation, links: readonly string[]): Operation {
  if (links.length !== marks.references.length) throw new Error("each reference needs one link");
  const addresses = new Map(marks.references.map((mark, index) => [mark, links[index] ?? ""]));
  return { ...operation, input: filled(operation.input, addresses) as Operation["input"] };
}

function filled(value: Json, addresses: ReadonlyMap<string, string>): Json {
  if (typeof value === "string") {
    let text = value;
    for (const [mark, address] of addresses) text = text.replaceAll(mark, () => address);
    return text;
  }
  if (Array.isArray(value)) return value.map((element) => filled(element, addresses));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filled(one, addresses)]));
}

function nameOf(no: number): string {
  return `atelier-mark-${no}`;
}

/** Returns what the catalogue expects a request to cost; undefined where it does not say. */
export function expectedCost({ cost }: Mapping, request: GenerationRequest): Cost | undefined {
  if (!cost) return undefined;
  let node: CostTable | undefined = cost.amount;
  for (const field of cost.by) {
    const key: string = String(request[field] ?? "");
    node = typeof node === "object" && Object.hasOwn(node, key) ? node[key] : undefined;
  }
  const units = unitsOf(cost.per, request.duration_sec);
  if (typeof node !== "number" || units === undefined) return undefined;
  return { amount: Number((node * units).toFixed(6)), currency: cost.currency, source: "catalogue" };
}

function unitsOf(per: NonNullable<Mapping["cost"]>["per"], seconds: unknown): number | undefined {
  if (per === "task") return 1;
  if (typeof seconds !== "number") return undefined;
  return per === "second" ? seconds : Math.ceil(seconds / 60);
}

export interface RefusedRequest {
  refusedField: string;
  /** True for a text below the mapping's minimum. */
  isTooShort?: boolean;
}

export interface MappedInput {
  input: Readonly<Record<string, Json>>;
}

/** What is known when a request is submitted: `$seed` and `$tracks` in a mapping. */
type MappingContext = Readonly<Record<"seed" | "tracks", number>>;

const CONTEXT_FIELDS: readonly string[] = ["seed", "tracks"];

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
  return "refusedField" in made ? made : operationWith(made.input, mapping, request, context);
}

/** @param input what `mappedInput` made of the request */
export function operationWith(
  input: MappedInput["input"],
  mapping: Mapping,
  request: GenerationRequest,
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
  context: MappingContext,
): MappedInput | RefusedRequest {
  const excess = fieldBeyondLimits(mapping, request);
  if (excess !== undefined) return { refusedField: excess };
  const short = fieldBelowMinima(mapping, request);
  if (short !== undefined) return { refusedField: short, isTooShort: true };
  const evaluation = new Evaluation(request, context);
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

/** Values of what is known only when the request is submitted. */
const SAMPLE: MappingContext = { seed: 0, tracks: 1 };

/**
 * Finds the first mapping that takes the request whole, with the input that it makes of it.
 * @returns otherwise the field that the nearest mapping does not take, `model_key` where there is no mapping
 */
export function mappingFor(
  mappings: readonly Mapping[],
  request: GenerationRequest,
  context = SAMPLE,
): ({ mapping: Mapping } & MappedInput) | RefusedRequest {
  let nearest: { refusal: RefusedRequest; held: number } = {
    refusal: { refusedField: "model_key" },
    held: -1,
  };
  for (const mapping of mappings) {
    const broken = brokenCondition(mapping.when, request);
    const made = broken ? { refusedField: broken.field } : mappedInput(mapping, request, context);
    if ("input" in made) return { mapping, ...made };
    const held = broken?.held ?? Number.POSITIVE_INFINITY;
    if (held > nearest.held) nearest = { refusal: made, held };
  }
  return nearest.refusal;
}

/** Lists every field of a request that a mapping speaks of. */
export function namedFields({ when, input, ignores, limits, minima, cost }: Mapping): ReadonlySet<string> {
  const fields = [when, ignores, limits, minima].flatMap(Object.keys);
  const all = [...fields, ...(cost?.by ?? []), ...Object.values(input).flatMap(fieldsOf)];
  return new Set(all.filter((field) => !CONTEXT_FIELDS.includes(field) && field !== "item"));
}

function fieldsOf(value: Value): string[] {
  if (typeof value === "string") return value.startsWith("$") ? [value.slice(1)] : [];
  const inner = valuesIn(value).flatMap(fieldsOf);
  if (typeof value !== "object" || value === null) return inner;
  if ("from" in value) return [value.from];
  if ("size" in value)
    return typeof value.pixels === "number" ? ["aspect_ratio"] : ["aspect_ratio", "resolution"];
  return "when" in value ? [...Object.keys(value.when), ...inner] : inner;
}
