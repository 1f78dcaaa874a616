import type { Readable } from "node:stream";
import type { Job, JobId } from "../contract/job.js";
import type { Model } from "../contract/model.js";
import type { Accepted, GenerationRequest } from "../contract/request.js";

export interface Balance {
  currency: "RUB";
  amount: number;
}

/** `stream` must be read to its end or destroyed. */
export interface ResultStream {
  stream: Readable;
  mime: string;
  /** bytes */
  size: number;
  fileName: string;
  width?: number;
  height?: number;
  durationSec?: number;
  title?: string;
}

export interface ReferenceFile {
  stream: Readable;
  mime: string;
}

/** `quotedKopecks` is the price that the user was shown. */
export interface OrderTerms {
  id: string;
  quotedKopecks: number;
}

/** One account's view of the service. Outcomes that a caller must handle are the errors of errors.ts. */
export interface Gateway {
  balance(): Promise<Balance>;
  models(): Promise<readonly Model[]>;
  /** @throws ContractError | PriceChanged | UncertainOutcome | Unavailable */
  submit(request: GenerationRequest, order: OrderTerms): Promise<Accepted>;
  /** @throws ContractError `job_not_found` */
  job(id: JobId): Promise<Job>;
  /** Opens a file of a finished job; `index` starts at 0 (tracks of music). */
  openResult(id: JobId, index: number): Promise<ResultStream>;
  /** Undefined when the track has no cover, or the cover no longer exists. */
  openCover(id: JobId, index: number): Promise<ResultStream | undefined>;
  /**
   * Refunds finished jobs whose files were removed before delivery, once per order.
   * @returns the refund for the order, in kopecks; 0 when the service does not refund
   */
  refundLost(orderId: string, jobIds: readonly JobId[]): Promise<number>;
  /** Returns a link that a provider can read. Throws ContractError | Unavailable. */
  publishReference(file: ReferenceFile): Promise<string>;
}

export interface TelegramUser {
  id: number;
  name: string;
}

export const NOT_CONNECTED = "not_connected";
export type NotConnected = typeof NOT_CONNECTED;

export type Unsubscribe = () => void;

export interface Gateways {
  of(user: TelegramUser): Promise<Gateway | NotConnected>;
  /** True when a repeated `submit` of an accepted order returns that acceptance and charges nothing. */
  readonly submitIsExactlyOnce: boolean;
}
