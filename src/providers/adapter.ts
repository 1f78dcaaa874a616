import { z } from "zod";
import type { Json } from "../catalogue/json.js";
import type { Cost, Operation } from "../catalogue/operation.js";
import type { HttpAnswer } from "../platform/http-exchange.js";
import { MINUTE_MS } from "../platform/units.js";
import type { PauseReason } from "../ports/operator-notices.js";

const ID_LENGTH_MAX = 2048;

/** Id of a task at its service: it goes into rows, addresses and the log. */
export const taskIdField = z.string().min(1).max(ID_LENGTH_MAX);
export const urlField = z.url().max(ID_LENGTH_MAX);

/** Reads a field that may be absent. One that cannot be read counts as absent: it hides no other. */
export function lenient<T extends z.ZodType>(field: T) {
  return field.optional().catch(undefined);
}

/** Limits the elements of a list that are read: it takes long to tell what is wrong with each. */
export const ELEMENTS_MAX = 500;

/** Reads a list without the elements that cannot be read: one of them hides no other. */
export function listOf<T>(element: z.ZodType<T>): z.ZodType<T[]> {
  return z.array(z.unknown()).transform((given) =>
    given.slice(0, ELEMENTS_MAX).flatMap((one) => {
      const read = element.safeParse(one);
      return read.success ? [read.data] : [];
    }),
  );
}

/** Call of a service. `ServiceCalls` adds the key, sends it and parses nothing. */
export interface UpstreamCall {
  method: "GET" | "POST" | "PUT";
  /** Address on one of the adapter's `apiHosts`; `ServiceCalls` puts the operator's root in its place. */
  url: string;
  headers?: Readonly<Record<string, string>>;
  json?: Json;
  form?: readonly FormPart[];
}

export type FormPart =
  | { name: string; value: string }
  | { name: string; file: string; mime: string; fileName: string }
  /** Path of a picture. Its bytes tell its type and the end of its name. */
  | { name: string; picture: string };

/** What the service needs to be asked about a task again. Stored first of all after an acceptance. */
export type UpstreamReference = { readonly [name: string]: Json };

/** `policy`: the content; `request`: a field or a reference, which is a fault of ours or of the picture. */
export type RefusalKind = "policy" | "request";

export interface Refusal {
  kind: "refused";
  refusal: RefusalKind;
  /** Text for the log and the record; never shown to people. */
  detail: string;
  /** What the service asks nevertheless. */
  cost?: Cost;
}

export type SubmitOutcome =
  | { kind: "accepted"; reference: UpstreamReference }
  /** The document tells the outputs: synchronous services. Read again from the kept answer after a restart. */
  | { kind: "ready"; document: Json; cost?: Cost }
  | Refusal
  /** Surely nothing was made; the same attempt may be sent again. */
  | { kind: "throttled"; retryAfterMs?: number | undefined; detail: string }
  /** Surely nothing was made, and nothing will be until somebody acts. */
  | { kind: "paused"; reason: PauseReason; detail: string }
  /** Surely nothing was made. The account is to blame only if a call without the task is refused too; else the request. */
  | { kind: "suspected"; reason: PauseReason; refusal: RefusalKind; detail: string }
  /** Surely nothing was made: the service does not offer the model. Another provider may take the job. */
  | { kind: "declined"; detail: string }
  /** Nobody knows whether a task was made. */
  | { kind: "ambiguous"; detail: string };

/** How a submit ends that accepts nothing. */
export type Rejection = Exclude<SubmitOutcome, { kind: "accepted" | "ready" }>;

export type PollOutcome =
  | { kind: "pending"; phase: "queued" | "running"; queuePosition?: number }
  /** One more call in the same turn, whose answer is read by `readPoll` with the given reference. */
  | { kind: "next"; call: UpstreamCall; reference: UpstreamReference }
  | { kind: "ready"; document: Json; cost?: Cost }
  | Refusal
  | { kind: "failed"; detail: string; cost?: Cost }
  | { kind: "unknown_task" }
  | { kind: "throttled"; retryAfterMs?: number | undefined }
  /** True of the account only if a call without the task is refused, too. */
  | { kind: "paused"; reason: PauseReason; detail: string }
  /** The answer says nothing about the task: 5xx, HTML, an unknown status. */
  | { kind: "glitch"; detail: string };

export type LookUpOutcome =
  | { kind: "found"; reference: UpstreamReference }
  /** One more call in the same turn, whose answer is read by `readLookUp`. */
  | { kind: "next"; call: UpstreamCall }
  /** It is proved that no such task was made. */
  | { kind: "absent" }
  | { kind: "unknown" };

/** Result of a probe. `balance` is the account's at the service, in its own unit, where it tells one. */
export type ProbeOutcome =
  | { kind: "good"; balance?: number }
  | { kind: "paused"; reason: PauseReason; balance?: number }
  | { kind: "glitch" };

/** Something that a service is asked for free. `read` returns undefined where the answer does not tell it. Never throws. */
export interface Question<T> {
  call: UpstreamCall;
  read(answer: HttpAnswer): T | undefined;
}

/** Asks, for free, whether key and account are good again. */
interface Probe {
  call: UpstreamCall;
  /** What it proves: the `balance`, too, or the `key` alone, where an operator ends other pauses. */
  tells?: "balance" | "key";
  /** Judges the answer. `good` only where it proves that `reason` is over. Never throws. */
  read(answer: HttpAnswer, reason: PauseReason): ProbeOutcome;
}

/** Attempt whose POST may or may not have been accepted. */
export interface DoubtfulAttempt {
  id: string;
  operation: Operation;
  /** Milliseconds since the epoch at which the POST was sent, by a clock that may have been set since. */
  submittedAt: number;
  /**
   * Milliseconds for which this process has been asking, by its monotonic clock: the POST is surely older. Only this
   * shows that a task would have been seen by now.
   */
  askedForMs: number;
  /** Tasks of the same request that other attempts have. */
  taken: readonly UpstreamReference[];
}

/** Calls of an upload, which is free and may be repeated: one, or two where the first answer names the address. */
interface UploadSteps {
  begin(file: { path: string; mime: string; fileName: string }): UpstreamCall;
  /** Reads the answer. `url` names the file in a request; `put` gets the file's bytes, without the key. */
  readBegin(answer: HttpAnswer): { url: string; put?: { url: string } } | undefined;
}

/** Speaks for one service, as pure functions: no I/O, no clock, no state. */
export interface UpstreamAdapter {
  readonly name: string;
  /** Hosts of the service. The key goes to these, or to the operator's root, and nowhere else. */
  readonly apiHosts: readonly string[];
  /** Path at which its calls begin, such as `/v1`. The operator's root stands in for it as well. */
  readonly basePath?: string;
  /** Hosts of results, such as `fal.media`, with their subdomains. `*`: any public one. */
  readonly fileHosts: readonly string[];
  /** Hosts of results in place of `fileHosts` where compatible software is called at a root of its own. */
  readonly fileHostsOfRoot?: readonly string[];
  /** True for software of the operator that gives its results to the key alone: they are at the root. */
  readonly filesNeedKey?: true;
  /** Limits the answer to a submit, in ms. Default: 60 s. Synchronous services need longer. */
  readonly submitTimeoutMs?: number;
  /** Limits an answer that may hold files as base64, or is long for another reason, in bytes. Default: 1 MB. */
  readonly answerBytesMax?: number;
  /** Limits the values of an answer that may hold many tasks whole. Default: that of `isUnwieldy`. */
  readonly answerValuesMax?: number;
  headers(key: string): Readonly<Record<string, string>>;
  /** True where the service calls an address that comes with the submit, when the task has ended. */
  readonly callsBack?: true;
  /** @param attempt `id` is a UUID of ours */
  submit(operation: Operation, attempt: { id: string; callbackUrl?: string }): UpstreamCall;
  /** Judges answers that have a status; `judgeAnswer` and `judgeFailure` judge the rest. Never throws. */
  readSubmit(answer: HttpAnswer, operation: Operation): SubmitOutcome;
  poll(reference: UpstreamReference): UpstreamCall;
  readPoll(answer: HttpAnswer, reference: UpstreamReference): PollOutcome;
  /** Returns calls that are sent one after the other. */
  cancel?(reference: UpstreamReference): UpstreamCall | readonly UpstreamCall[];
  lookUp?(attempt: DoubtfulAttempt): UpstreamCall;
  /** Judges the answer to the call `asked`, by default the first. `askedAt` is by the clock of `submittedAt`, in ms. */
  readLookUp?(
    answer: HttpAnswer,
    attempt: DoubtfulAttempt,
    askedAt: number,
    asked?: UpstreamCall,
  ): LookUpOutcome;
  /** Asks for a fresh address of a result that expired; undefined where a poll tells it. */
  renew?(url: string): Question<string>;
  /** Gives the request another seed, for a service that answers repeated ones from a cache; undefined without seeds. */
  remake?(operation: Operation): Operation | undefined;
  upload?: UploadSteps;
  /** False for a service that opens no addresses: references are uploaded, whatever PUBLIC_URL is. */
  readonly readsLinks?: false;
  /** Limits references that are given as `file:` addresses, for parts of a form: all of a task, in bytes. */
  filesBytesMax?: number;
  readonly probe: Probe;
  /** What is left on the account, in the currency of its costs: the questions are asked in turn until one is answered. */
  readonly balance?: { currency: string; questions: readonly Question<number>[] };
}

/** Limits the difference of a service's clock and ours. */
export const SKEW_MS = 2 * MINUTE_MS;
/** Time after which a POST has reached the service, or never will. */
const SENDING_MAX_MS = 10 * MINUTE_MS;

/** Tells whether the task that a service dates so may be that of the attempt. */
export function isNear(sentAt: number, { submittedAt }: DoubtfulAttempt): boolean {
  return sentAt >= submittedAt - SKEW_MS && sentAt <= submittedAt + SENDING_MAX_MS;
}

/** Tells whether a service tells an input as it was sent. Goes only as deep as `ours` does. */
export function isSameInput(ours: Json, theirs: unknown): boolean {
  if (!isObject(ours)) return ours === theirs;
  if (!isObject(theirs) || Array.isArray(ours) !== Array.isArray(theirs)) return false;
  const names = Object.keys(ours);
  if (names.length !== Object.keys(theirs).length) return false;
  return names.every((name) => Object.hasOwn(theirs, name) && isSameInput(ours[name] as Json, theirs[name]));
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
