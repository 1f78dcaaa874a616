import type { Readable } from "node:stream";
import type { Job, JobId } from "./job.js";
import type { Model } from "./model.js";
import type { Accepted, GenerationRequest } from "./request.js";

/** The balance of an account (section 2.1), in rubles. */
export interface Balance {
  currency: "RUB";
  amount: number;
}

/** A finished file. `stream` must be read to its end or destroyed. */
export interface ResultStream {
  stream: Readable;
  mime: string;
  /** bytes */
  size: number;
  /** A sensible name with the right extension. */
  fileName: string;
  /** Pixels, where the file has them and they are known. */
  width?: number;
  height?: number;
  /** Seconds, of a video or a track. */
  durationSec?: number;
  /** What a track is called. */
  title?: string;
}

/** A picture that a person gave as a reference. */
export interface ReferenceFile {
  stream: Readable;
  mime: string;
}

/** The order that a submission belongs to, and the price that its owner was shown. */
export interface OrderTerms {
  id: string;
  quotedKopecks: number;
}

/** One account's view of the service. Outcomes that a caller must handle are the errors of errors.ts. */
export interface Gateway {
  balance(): Promise<Balance>;
  /** The active models, in the catalogue's order. */
  models(): Promise<readonly Model[]>;
  /**
   * Charges the account and queues the jobs of one order.
   * @throws ContractError | PriceChanged | UncertainOutcome | Unavailable
   */
  submit(request: GenerationRequest, order: OrderTerms): Promise<Accepted>;
  /** @throws ContractError `job_not_found` */
  job(id: JobId): Promise<Job>;
  /** The file of a finished job; `index` counts from 0 (tracks of music). */
  openResult(id: JobId, index: number): Promise<ResultStream>;
  /** The cover of a track; undefined where the track has none, or it is kept no more. */
  openCover(id: JobId, index: number): Promise<ResultStream | undefined>;
  /**
   * Keeps a picture and answers with a link that a provider can read.
   * @throws ContractError | Unavailable
   */
  publishReference(file: ReferenceFile): Promise<string>;
}

/** What is known of a person who writes to the bot. */
export interface TelegramUser {
  id: number;
  name: string;
}

/** The person has not connected a key of their own yet (CORE=api only). */
export const NOT_CONNECTED = "not_connected";
export type NotConnected = typeof NOT_CONNECTED;

export type Unsubscribe = () => void;

/** The door of the chat to the service, embedded or remote. */
export interface Gateways {
  of(user: TelegramUser): Promise<Gateway | NotConnected>;
  /** Calls back with the id of each job that changed its status, where the service can tell. */
  onJobChange(listener: (id: JobId) => void): Unsubscribe;
  /**
   * True when `submit` with the id of an order that was accepted before answers with that acceptance
   * instead of charging again, so that an interrupted submission may be sent again.
   */
  readonly submitIsExactlyOnce: boolean;
  /** True while results are made by the local renderer, which people are told once on a card. */
  readonly isLocalPreview: boolean;
}
