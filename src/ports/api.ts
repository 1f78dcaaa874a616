import type { Job, JobId } from "../contract/job.js";
import type { Model } from "../contract/model.js";
import type { Accepted } from "../contract/request.js";
import type { Balance } from "./gateway.js";

export interface Caller {
  keyId: number;
  accountId: number;
}

export interface KeyedRequest {
  accountId: number;
  key: string;
  body: unknown;
  /** Hash of the whole body: another one under the same key is refused. */
  fingerprint: string;
}

export interface KeyedAcceptance {
  accepted: Accepted;
  /** True when an earlier request with the key was accepted and this one changed nothing. */
  isReplayed: boolean;
}

export interface Api {
  /** Stays the same array while the offer is the same; it changes with the providers that are paused. */
  readonly models: readonly Model[];
  /** Returns undefined when the key does not exist or is revoked. */
  authenticate(key: string): Caller | undefined;
  balance(accountId: number): Balance;
  /**
   * Validates a parsed POST body, charges the account and queues the jobs. Each call is a new request.
   * @throws ContractError | Unavailable; nothing was changed then
   */
  submit(accountId: number, body: unknown): Promise<Accepted>;
  /**
   * Accepts a request with an idempotency key at most once.
   * @throws IdempotencyConflictError | ContractError | Unavailable; nothing was changed then
   */
  submitKeyed(request: KeyedRequest): Promise<KeyedAcceptance>;
  job(accountId: number, id: JobId): Job;
}
