import type { Readable } from "node:stream";
import type { User } from "../accounts/account-store.js";
import type { Job, JobId } from "../contract/job.js";
import type { Model } from "../contract/model.js";
import type { Balance, Kopecks } from "../contract/price.js";
import type { Accepted, GenerationRequest } from "../contract/request.js";
import type { Transaction } from "../database/database.js";
import type { FileFacts } from "../media/media-store.js";

/** A job waits at the service that makes it. */
export interface QueuePlace {
  /** Position as the service counts it, where it tells. */
  position?: number | undefined;
  /** True while the service cannot be asked: it does not answer, or takes no tasks. */
  isAway?: boolean;
}

/** A file of a finished job. A service elsewhere tells most of its facts only when the file is opened. */
export interface ResultFile extends FileFacts {
  kind: "result" | "cover" | "original";
  /** Track that it belongs to, from 0; always 0 for images and videos. */
  index: number;
  title?: string;
  /** Link to an original, valid for an hour. The links of the other files are in the job. */
  link?: string;
  /** Opens the file. Throws ContractError `job_not_found` when it no longer exists. */
  open(): Promise<OpenedFile>;
}

export interface OpenedFile extends FileFacts {
  stream: Readable;
}

export interface OrderTerms {
  id: string;
  quotedKopecks: Kopecks;
  /**
   * Writes the order in the transaction that charges it, once; what it throws refuses the order. Only for an account of
   * this process.
   */
  writeOrderIn?: (tx: Transaction, jobIds: readonly JobId[]) => void;
  /** Ends the repetition of a submission: `submit` then rejects with SubmissionInterruptedError. */
  signal?: AbortSignal;
  /** Called once where the outcome stays unknown. The submission is repeated until then, in ms since the epoch. */
  onDoubt?: (repeatedUntil: number) => void;
}

/** What became of the cost of a failed job; `unknown` when the service does not say. */
export type Refund = "made" | "kept" | "unknown";

export interface GatewayJob extends Job {
  refund?: Refund;
  /** Set while a job that is `generating` still waits at the service that makes it. */
  waiting?: QueuePlace;
}

/** `owed`: the rubles of a debt, which is paid first from whatever is added. */
export type AccountBalance = Balance & { owed?: number };

/** Shows the service to one account. Outcomes that a caller must handle are the errors of errors.ts. */
export interface Gateway {
  balance(): Promise<AccountBalance>;
  models(): Promise<readonly Model[]>;
  /**
   * Submits an order. A repeated submission makes no second one: it returns the first acceptance, or throws
   * UncertainOutcome where the caller alone has it.
   * @throws ContractError | PriceChanged | TooManyOrdersError | UncertainOutcome | Unavailable
   */
  submit(request: GenerationRequest, order: OrderTerms): Promise<Accepted>;
  job(id: JobId): Promise<GatewayJob>;
  /** Lists files that still exist, of a job that was just read. Opens none. Throws ContractError `job_not_found`. */
  results(job: Job): Promise<readonly ResultFile[]>;
  /**
   * Refunds finished jobs whose files were removed before delivery, once per order.
   * @returns the refund for the order, in kopecks; 0 when the service does not refund
   */
  refundLost(orderId: string, jobIds: readonly JobId[]): Promise<Kopecks>;
  /** Returns a link that a provider can read. Throws ContractError | Unavailable. */
  publishReference(stream: Readable, userId?: number): Promise<string>;
}

export const NOT_CONNECTED = "not_connected";
export type NotConnected = typeof NOT_CONNECTED;

export type Unsubscribe = () => void;

export interface Gateways {
  /** Returns the account that the user spends now. Middleware asks for it once an update. */
  of(user: User): Promise<Gateway | NotConnected>;
  /** Returns the account that an order of the user was sent with, as long as it is known, else the current one. */
  ofOrder(orderId: string, user: User): Promise<Gateway | NotConnected>;
}

export interface WatchedOrder {
  id: string;
  user: User;
  jobIds: readonly JobId[];
}

/** Receives all jobs of an order, in the order of its ids. When it rejects, it is called again later. */
export type JobListener = (jobs: readonly GatewayJob[]) => Promise<void>;

export interface JobFeed {
  /** Calls the listener soon, after each change and periodically, one call at a time, never synchronously. */
  watch(order: WatchedOrder, listener: JobListener): Unsubscribe;
}
