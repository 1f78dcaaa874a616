import type { Json } from "../../mapping/mapping.js";
import type { Cost, Operation } from "../../mapping/operation.js";
import type { HttpAnswer } from "../../platform/http-exchange.js";
import type { PauseReason } from "../../ports/provider.js";

/** A call of a service. The driver adds the key, sends it and parses nothing. */
export interface UpstreamCall {
  method: "GET" | "POST" | "PUT";
  /** On one of the adapter's `apiHosts`; the driver puts the operator's root in its place. */
  url: string;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  json?: Json;
  /** Sent as multipart/form-data. */
  form?: readonly FormPart[];
}

export type FormPart =
  | { name: string; value: string }
  | { name: string; file: string; mime: string; fileName: string }
  /** The path of a picture. Its bytes tell its type and the end of its name. */
  | { name: string; picture: string };

/** What the service needs to be asked about a task again. Stored first of all after an acceptance. */
export type UpstreamReference = { readonly [name: string]: Json };

/** `policy`: the content; `request`: a field or a reference, which is a fault of ours or of the picture. */
export type RefusalKind = "policy" | "request";

export interface Refusal {
  kind: "refused";
  refusal: RefusalKind;
  /** For the log and the record; never shown to people. */
  detail: string;
  /** Set where the service asks money nevertheless. */
  cost?: Cost;
}

/** Tells what the end of a submission means. */
export type SubmitOutcome =
  | { kind: "accepted"; reference: UpstreamReference }
  /** The document tells the outputs: synchronous services. Read again from the kept answer after a restart. */
  | { kind: "ready"; document: Json; cost?: Cost }
  | Refusal
  /** Surely nothing was made; the same attempt may be sent again. */
  | { kind: "throttled"; retryAfterMs?: number | undefined; detail: string }
  /** Surely nothing was made, and nothing will be until somebody acts. */
  | { kind: "paused"; reason: PauseReason; detail: string }
  /** Surely nothing was made: the service does not offer the model. Another provider may take the job. */
  | { kind: "declined"; detail: string }
  /** Nobody knows whether a task was made. */
  | { kind: "ambiguous"; detail: string };

export type PollOutcome =
  | { kind: "pending"; phase: "queued" | "running"; queuePosition?: number; progress?: number }
  /** One more call in the same turn, whose answer is read by `readPoll` with the given reference. */
  | { kind: "next"; call: UpstreamCall; reference: UpstreamReference }
  | { kind: "ready"; document: Json; cost?: Cost }
  | Refusal
  /** The service says that it failed to make it. */
  | { kind: "failed"; detail: string; cost?: Cost }
  /** It does not know the task. */
  | { kind: "unknown_task" }
  | { kind: "throttled"; retryAfterMs?: number | undefined }
  | { kind: "paused"; reason: PauseReason; detail: string }
  /** An answer that says nothing about the task: 5xx, HTML, an unknown status. */
  | { kind: "glitch"; detail: string };

export type LookUpOutcome =
  | { kind: "found"; reference: UpstreamReference }
  /** One more call in the same turn, whose answer is read by `readLookUp`. */
  | { kind: "next"; call: UpstreamCall }
  /** Proved: no such task was made. */
  | { kind: "absent" }
  | { kind: "unknown" };

/** `balance`: of the account at the service, in its own unit, where it tells one. */
export type ProbeOutcome =
  | { kind: "good"; balance?: number }
  | { kind: "paused"; reason: PauseReason; balance?: number }
  | { kind: "glitch" };

/** An attempt whose POST may or may not have been accepted. */
export interface DoubtfulAttempt {
  /** Chosen by us before the POST; a UUID. */
  id: string;
  operation: Operation;
  /** ms since the epoch, by a clock that may have been set since */
  submittedAt: number;
  /**
   * Since this process first asked, in ms by its monotonic clock: the POST is surely older. Only this shows that a task
   * would have been seen by now.
   */
  askedForMs: number;
  /** Tasks of the same request that other attempts have. */
  taken: readonly UpstreamReference[];
}

/** What a request says of an attempt, besides its operation. */
export interface SubmittedAttempt {
  /** Chosen by us; a UUID. */
  id: string;
  callbackUrl?: string;
}

/** A file that is given to the service before the submit. */
export interface UploadFile {
  path: string;
  mime: string;
  fileName: string;
}

/** Uploading is free and may be repeated. One call, or two where the first answer names the address of the second. */
export interface UploadSteps {
  begin(file: UploadFile): UpstreamCall;
  /** `url` is what a request names the file by. `put` is sent with the file's bytes and without the key. */
  readBegin(answer: HttpAnswer): { url: string; put?: { url: string } } | undefined;
}

/** One service, as pure functions: no I/O, no clock, no state. */
export interface UpstreamAdapter {
  readonly name: string;
  /** The service's own hosts. The key goes to these, or to the operator's root, and nowhere else. */
  readonly apiHosts: readonly string[];
  /** Where the paths of its calls begin, such as `/v1`. The operator's root stands in for it as well. */
  readonly basePath?: string;
  /** Hosts that results are taken from, such as `fal.media`; a host's subdomains belong to it. `*`: any public one. */
  readonly fileHosts: readonly string[];
  /** True for software of the operator that gives its results to the key alone: they are at the root. */
  readonly filesNeedKey?: true;
  /** How long the answer to a submit may take, in ms. Default: 60 s. Synchronous services need longer. */
  readonly submitTimeoutMs?: number;
  headers(key: string): Readonly<Record<string, string>>;
  /** True where the service calls an address that comes with the submit, when the task has ended. */
  readonly callsBack?: true;
  /** @param attempt id chosen by us, and the address that the service is to call, where it can */
  submit(operation: Operation, attempt: SubmittedAttempt): UpstreamCall;
  /** Never throws. Told only of answers that have a status; the driver judges the rest. */
  readSubmit(answer: HttpAnswer, operation: Operation): SubmitOutcome;
  poll(reference: UpstreamReference): UpstreamCall;
  readPoll(answer: HttpAnswer, reference: UpstreamReference): PollOutcome;
  /** Several calls are sent one after the other. */
  cancel?(reference: UpstreamReference): UpstreamCall | readonly UpstreamCall[];
  /** Looks for the task of a doubtful attempt. */
  lookUp?(attempt: DoubtfulAttempt): UpstreamCall;
  /**
   * @param askedAt ms since the epoch, by the clock of `submittedAt`
   * @param asked the call that was answered, by default the first
   */
  readLookUp?(
    answer: HttpAnswer,
    attempt: DoubtfulAttempt,
    askedAt: number,
    asked?: UpstreamCall,
  ): LookUpOutcome;
  /** Asks for a fresh address of a result that expired; undefined where a poll tells it. */
  renew?(url: string): UpstreamCall;
  readRenew?(answer: HttpAnswer): string | undefined;
  /**
   * The same request with another seed, for a service that answers a repeated one from a cache, whose file may be gone.
   * Undefined where nothing can be changed.
   */
  remake?(operation: Operation): Operation | undefined;
  upload?: UploadSteps;
  /** False for a service that opens no addresses: references are uploaded, whatever PUBLIC_URL is. */
  readonly readsLinks?: false;
  /** References as `data:` addresses are taken up to this size, in bytes. */
  dataUrlBytesMax?: number;
  /** References are given as `file:` addresses, for parts of a form; in bytes, all of a task together. */
  filesBytesMax?: number;
  /** A free call that tells whether key and account are good again. */
  probe?(): UpstreamCall;
  /** `balance`: of the account, too; `key`: of the key alone, and an operator ends other pauses. */
  readonly probeTells?: "balance" | "key";
  /** @param reason why the service is paused. `good` only where the answer proves that this is over */
  readProbe?(answer: HttpAnswer, reason: PauseReason): ProbeOutcome;
}
