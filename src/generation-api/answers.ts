import { z } from "zod";
import {
  CONTRACT_ERROR_CODES,
  ContractError,
  type ContractErrorCode,
  Unavailable,
} from "../contract/errors.js";
import {
  JOB_STATUSES,
  type Job,
  type JobId,
  type JobResult,
  readJobId,
  TEXT_JOB_ID,
} from "../contract/job.js";
import { GENERATION_TYPES, type Model, readPublicTitle } from "../contract/model.js";
import type { Balance } from "../contract/price.js";
import type { ExchangeError, HttpAnswer } from "../platform/http-exchange.js";
import { parseJson } from "../platform/json.js";

/** The most tracks of a job; one of more is cut and logged. */
const TRACKS_MAX = 20;
/** The most tracks that are looked at: it takes long to tell what is wrong with each. */
const TRACKS_READ_MAX = 100;
/** The most ids of an acceptance. The contract's `count` ends at 4. */
const JOB_IDS_MAX = 10;
/** The most characters of what a card, a caption or a button names. */
const TITLE_MAX = 100;
/** The most characters of an error, a note or a line about a model. */
const WORDS_MAX = 500;
const LINK_MAX = 8192;
const AMOUNT_MAX_RUB = 1e9;

const amountRub = z.number().min(0).max(AMOUNT_MAX_RUB);
/** Accepts negative balances: one may be overdrawn. */
const balanceRub = z.number().min(-AMOUNT_MAX_RUB).max(AMOUNT_MAX_RUB);

const title = z.string().transform((text) => cutTo(TITLE_MAX, text));
const words = z.string().transform((text) => cutTo(WORDS_MAX, text));
const link = z.string().max(LINK_MAX);

/** Cuts between characters, and marks it by an ellipsis. */
function cutTo(max: number, text: string): string {
  if (text.length <= max) return text;
  const characters = [...text.slice(0, 2 * max + 2)];
  return characters.length <= max ? characters.join("") : `${characters.slice(0, max - 1).join("")}…`;
}

/** Thrown when the answer violates the contract. The message never contains it, since it may contain links. */
export class WrongAnswerError extends Error {
  override readonly name = "WrongAnswerError";
}

export function wrongAnswer({ status, headers, text }: HttpAnswer): WrongAnswerError {
  const type = headers.get("content-type")?.slice(0, 60) ?? "no content type";
  return new WrongAnswerError(`HTTP ${status}, ${type}, ${text.length} characters`);
}

const envelope = z.looseObject({ ok: z.boolean() });
export type AnswerEnvelope = z.infer<typeof envelope>;

/** Reads the body as JSON in the shape of every API response; undefined for anything else. */
export function readEnvelope({ text, fault }: HttpAnswer): AnswerEnvelope | undefined {
  if (fault) return undefined;
  const result = envelope.safeParse(parseJson(text));
  return result.success ? result.data : undefined;
}

const errorCode = z.enum(CONTRACT_ERROR_CODES);
const detail = z.object({
  allowed: z
    .array(z.union([z.string(), z.number()]))
    .optional()
    .catch(undefined),
  supported: z.array(z.string()).optional().catch(undefined),
  balance: balanceRub.optional().catch(undefined),
  cost_rub: amountRub.optional().catch(undefined),
});

/** Reads the section 7 error of a body. */
export function readContractError(body: AnswerEnvelope | undefined): ContractError | undefined {
  const code = errorCode.safeParse(body?.error);
  if (!code.success || body?.ok !== false) return undefined;
  return new ContractError(code.data satisfies ContractErrorCode, withoutUndefined(detail.parse(body)));
}

/** Reads fields. Throws WrongAnswerError naming those that are wrong. */
function readFields<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const fields = result.error.issues
    .slice(0, 5)
    .map(({ path, code }) => `${path.join(".") || "body"}: ${code}`);
  throw new WrongAnswerError(fields.join(", "));
}

/** An accepted submission (section 4.4). Amounts in rubles. */
export interface RemoteAccepted {
  job_id: JobId;
  /** The ids: `job_id` at least, and at most `JOB_IDS_MAX`. */
  job_ids: readonly JobId[];
  cost_rub: number | undefined;
  unit_cost_rub: number | undefined;
  /** Names of what was left out because no service has a reason for it. */
  problems: readonly string[];
}

const jobId = z.union([z.int().min(1), z.string().regex(TEXT_JOB_ID)]);
const amount = amountRub.optional().catch(undefined);

const accepted = z.object({
  job_id: jobId,
  job_ids: z.array(z.unknown()).catch([]),
  cost_rub: amount,
  unit_cost_rub: amount,
});

const toldCost = z.object({ cost_rub: z.unknown().refine((sum) => sum !== undefined && sum !== null) });
/** The most ids that are looked at. */
const IDS_READ_MAX = 2 * JOB_IDS_MAX;

/** Matches an id and the end of its value: trailing digits of a truncated text may be incomplete. */
const ID_IN_TEXT = /^\s*\{[^{}]*"job_id"\s*:\s*(?:([1-9]\d*)|"([^"\\]*)")\s*[,}]/;
const IDS_IN_TEXT = /^\s*\{[^{}]*"job_ids"\s*:\s*\[([\d,\s]*)\]/;

/** Reads an acceptance. A readable `job_id` means that the job exists, even in a truncated response. */
function readAccepted({ text }: HttpAnswer): RemoteAccepted | undefined {
  const body = parseJson(text);
  const result = accepted.safeParse(body);
  if (!result.success) return readCut(text);
  const { job_id, job_ids, cost_rub, unit_cost_rub } = result.data;
  const others = job_ids.slice(0, IDS_READ_MAX).flatMap((id) => jobId.safeParse(id).data ?? []);
  const problems = cost_rub === undefined && toldCost.safeParse(body).success ? ["cost_rub: no amount"] : [];
  return { ...withIds(job_id, others, problems), cost_rub, unit_cost_rub };
}

function withIds(id: JobId, others: readonly JobId[], problems: readonly string[] = []) {
  const named = new Map<string, JobId>();
  for (const one of [id, ...others]) if (!named.has(String(one))) named.set(String(one), one);
  const ids = [...named.values()];
  const more = ids.length > JOB_IDS_MAX ? [`job_ids: more than ${JOB_IDS_MAX}`] : [];
  return { job_id: id, job_ids: ids.slice(0, JOB_IDS_MAX), problems: [...problems, ...more] };
}

function readCut(text: string): RemoteAccepted | undefined {
  const [, digits, name] = ID_IN_TEXT.exec(text) ?? [];
  const id = jobId.safeParse(digits === undefined ? name : readJobId(digits));
  if (!id.success) return undefined;
  const [, list = ""] = IDS_IN_TEXT.exec(text) ?? [];
  const others = (list.match(/\d+/g) ?? []).slice(0, IDS_READ_MAX).map(readJobId);
  return { ...withIds(id.data, others), cost_rub: undefined, unit_cost_rub: undefined };
}

const name = title.nullable().catch(null);
const told = words.nullable().catch(null);
const url = link.nullable().catch(null);
const measure = z.number().min(0).max(1e6);
const number = measure.nullable().catch(null);

const track = z.object({
  index: number,
  title: title.catch(""),
  duration: number,
  url,
  mime: words.catch("audio/mpeg"),
  image_url: url,
});
const tracks = z.preprocess(
  // What is no track hides no other.
  (given) =>
    Array.isArray(given)
      ? given
          .slice(0, TRACKS_READ_MAX)
          .filter((one) => track.safeParse(one).success)
          .slice(0, TRACKS_MAX)
      : given,
  z
    .array(track)
    .transform((all) => all.map((one, at) => ({ ...one, index: one.index ?? at + 1 })))
    .nullish(),
);

const jobAnswer = z.object({
  job: z.object({
    job_id: z.union([z.string(), z.number()]),
    type: z.enum(GENERATION_TYPES),
    // An unknown one means only that the job has not ended (section 3).
    status: z.string().transform((given) => JOB_STATUSES.find((known) => known === given) ?? "generating"),
    model: told,
    model_title: name,
    aspect_ratio: words.nullish().catch(null),
    duration_sec: measure.nullish().catch(null),
    // A sum that no ledger takes is as one that was not told: neither hides what was made.
    cost_rub: amountRub.optional().catch(undefined),
    result: z.object({ url, mime: told, tracks }).nullish(),
    error: told,
    created_at: told,
    refunded: z.boolean().optional().catch(undefined),
  }),
});

/** Reads a job, and passes what was left out to `onBeyond`. Throws WrongAnswerError, also for another id. */
export function readJob(body: unknown, id: JobId, onBeyond: (problem: string) => void = () => {}): Job {
  const { job } = readFields(jobAnswer, body);
  if (String(job.job_id) !== String(id)) throw new WrongAnswerError("job.job_id: another job");
  if (job.cost_rub === undefined) onBeyond("cost_rub: no amount");
  if (anyTracks.safeParse(body).success) onBeyond(`result.tracks: more than ${TRACKS_MAX}`);
  const { cost_rub = 0, result, ...rest } = job;
  return { ...withoutUndefined(rest), job_id: id, cost_rub, result: result ? resultOf(result) : null };
}

const anyTracks = z.object({
  job: z.object({ result: z.object({ tracks: z.array(z.unknown()).min(TRACKS_MAX + 1) }) }),
});

function resultOf({ url, mime, tracks }: NonNullable<z.infer<typeof jobAnswer>["job"]["result"]>): JobResult {
  return { url, mime, ...(tracks && { tracks }) };
}

const healthAnswer = z.object({ version: z.string() });

/** Reads the version of the API, `v1`. Throws WrongAnswerError. */
export function readHealth(body: unknown): string {
  return readFields(healthAnswer, body).version;
}

const balanceAnswer = z.object({ balance: z.object({ currency: z.literal("RUB"), amount: balanceRub }) });

/** Throws WrongAnswerError, also for another currency. */
export function readBalance(body: unknown): Balance {
  return readFields(balanceAnswer, body).balance;
}

/** The most models: a list for people to choose from ends long before. */
const MODELS_MAX = 500;
/** The most parameters of a model, and values of a parameter. */
const NAMES_MAX = 200;
const VALUES_MAX = 500;
const VALUE_LENGTH_MAX = 2048;
/** The most problems that the log names. */
const PROBLEMS_MAX = 20;

const text = z.string().max(VALUE_LENGTH_MAX);
const fewNames = z
  .record(z.string(), z.unknown())
  .refine((record) => Object.keys(record).length <= NAMES_MAX);

/** Reads a record. Its names are counted first: it takes long to tell what is wrong with each. */
function recordOf<T extends z.ZodType>(value: T) {
  return fewNames.pipe(z.record(text, value));
}

const value = z.union([text, z.number(), z.boolean(), z.array(text).max(VALUES_MAX)]);
/** Reads a default. What is empty is none, like null. */
const setting = value
  .nullable()
  .transform((given) => (given === "" || (Array.isArray(given) && given.length === 0) ? null : given));
const choice = z.union([text, z.number()]);
const bound = z.number().optional().catch(undefined);

const parameter = z
  .object({
    type: z.enum(["string", "integer", "number", "boolean", "array<string>"]),
    required: z.boolean().catch(false),
    values: z.array(choice).max(VALUES_MAX).optional().catch(undefined),
    min: bound,
    max: bound,
    default: setting.optional().catch(undefined),
    note: words.optional().catch(undefined),
  })
  // One of an unknown kind cannot be set: the service applies its default.
  .transform(withoutUndefined)
  .nullable()
  .catch(null);

const price = amountRub;
const row = recordOf(price);
const about = z.object({ en: title, ru: title });

const model = z.object({
  type: z.enum(GENERATION_TYPES),
  model_key: text.min(1),
  title: z
    .string()
    .refine((given) => given.trim() !== "")
    .transform(readPublicTitle)
    .pipe(z.object({ title, isPreview: z.boolean() })),
  price_rub: z.union([price, row, recordOf(z.union([row, recordOf(row)]))]),
  defaults: z.record(text, setting.catch(null)).catch({}),
  parameters: recordOf(parameter),
  price_factors: z
    .object({ sound: bound, fast: bound })
    .transform(withoutUndefined)
    .optional()
    .catch(undefined),
  about: about.optional().catch(undefined),
  successor: text.min(1).optional().catch(undefined),
});

const modelsAnswer = z.object({ models: z.array(z.unknown()) });

interface ModelsAnswer {
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
  const { title: shown, ...rest } = readFields(model, entry);
  const { type, parameters } = rest;
  return {
    ...withoutUndefined(rest),
    title: shown.title,
    ...(shown.isPreview && { isPreview: true }),
    // Section 4.4 requires a prompt, however it is listed.
    ...(type !== "music" && {
      parameters: { ...parameters, prompt: { type: "string", ...parameters.prompt, required: true } },
    }),
  };
}

/** What may be undefined is absent. */
type Defined<T> = {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
} & { [K in keyof T as undefined extends T[K] ? never : K]: T[K] };

function withoutUndefined<T extends object>(given: T): Defined<T> {
  return Object.fromEntries(Object.entries(given).filter(([, held]) => held !== undefined)) as Defined<T>;
}

interface CallFacts {
  status?: number;
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

/** Thrown when there is no answer, or one that violates the contract. Nothing was accepted. */
export class CallFailedError extends Unavailable {
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  constructor({ status, retryAfterMs, cause }: CallFacts) {
    super("unreachable", { cause });
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }

  get isTemporary(): boolean {
    const { status } = this;
    return status === undefined || status < 300 || status === 408 || status === 429 || status >= 500;
  }
}

export type PostOutcome =
  | { kind: "accepted"; accepted: RemoteAccepted }
  | { kind: "refused"; error: ContractError }
  /** Nothing was accepted, for a temporary reason. */
  | { kind: "not_accepted"; failure: CallFailedError }
  /** `isFinal`: a repeat would be rejected too. */
  | { kind: "uncertain"; isFinal: boolean; failure: CallFailedError };

/** Statuses that mean "not accepted" even without an error code of the contract. */
const REFUSING_STATUSES: ReadonlySet<number> = new Set([401, 403, 404, 413]);
/** Temporary 4xx. With an `Idempotency-Key`, 409 means that the first POST is not answered yet. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 409, 425]);

export function judgeFailedPost(cause: ExchangeError): PostOutcome {
  const failure = new CallFailedError({ cause });
  return cause.isSent ? { kind: "uncertain", isFinal: false, failure } : { kind: "not_accepted", failure };
}

/** Judges an answer. `body`: undefined unless it has the API's shape. */
export function judgePost(
  answer: HttpAnswer,
  body: AnswerEnvelope | undefined,
  retryAfterMs: number | undefined,
): PostOutcome {
  const accepted = readAccepted(answer);
  if (accepted) return { kind: "accepted", accepted };
  const { status } = answer;
  const refusal = readContractError(body);
  const failure = new CallFailedError({
    status,
    retryAfterMs,
    cause: answer.fault ?? refusal ?? wrongAnswer(answer),
  });
  if (status === 429) return { kind: "not_accepted", failure };
  if (status < 400 || status >= 500 || status === 408) return { kind: "uncertain", isFinal: false, failure };
  if (refusal) return { kind: "refused", error: refusal };
  if (REFUSING_STATUSES.has(status)) return { kind: "not_accepted", failure };
  return { kind: "uncertain", isFinal: !PASSING_STATUSES.has(status), failure };
}

/** The header that announces that a service honours `Idempotency-Key`, and for how many seconds. */
const HEADER = "idempotency-key-retention";

export class Retention {
  #announcedMs: number | undefined;
  #isKnown = false;

  /** Records a response. One without the header revokes the promise only if the service itself sent it. */
  note({ status, headers }: HttpAnswer, body: AnswerEnvelope | undefined): void {
    const given = headers.get(HEADER) ?? "";
    const announcedMs = /^[1-9]\d{0,8}$/.test(given) ? Number(given) * 1000 : undefined;
    if (announcedMs === undefined && (!body || status >= 500)) return;
    this.#announcedMs = announcedMs;
    this.#isKnown = true;
  }

  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** Returns the retention. Undefined when a POST must never be repeated. */
  get announcedMs(): number | undefined {
    return this.#announcedMs;
  }
}
