import type { ServerResponse } from "node:http";
import { MEGABYTE } from "../../platform/units.js";
import { OverloadedError } from "./errors.js";

/** Bytes of a body that needs no reservation: the number of connections bounds those. */
export const SMALL_BODY_BYTES = 32 * 1024;
/** The most bytes of one account: one body of 12 MB and some smaller ones. */
export const ACCOUNT_BODY_BYTES_MAX = 16 * MEGABYTE;
export const ALL_BODY_BYTES_MAX = 36 * MEGABYTE;

/** Limits the bytes of bodies that are being read or processed, per account and in total. */
export class BodyBudget {
  readonly #byAccount = new Map<number, number>();
  #taken = 0;

  /** Reserves bytes. Throws OverloadedError; nothing was reserved then. */
  take(accountId: number, bytes: number): void {
    const ofAccount = (this.#byAccount.get(accountId) ?? 0) + bytes;
    if (ofAccount > ACCOUNT_BODY_BYTES_MAX) throw new OverloadedError("rate_limited");
    if (this.#taken + bytes > ALL_BODY_BYTES_MAX) throw new OverloadedError("service_unavailable");
    this.#taken += bytes;
    this.#byAccount.set(accountId, ofAccount);
  }

  giveBack(accountId: number, bytes: number): void {
    this.#taken -= bytes;
    const left = (this.#byAccount.get(accountId) ?? 0) - bytes;
    if (left > 0) this.#byAccount.set(accountId, left);
    else this.#byAccount.delete(accountId);
  }
}

/** Holds the bytes reserved for one body, until the response or its connection ends. */
export class BodyReservation {
  readonly #budget: BodyBudget;
  readonly #accountId: number;
  readonly #response: ServerResponse;
  #bytes = 0;

  constructor(budget: BodyBudget, accountId: number, response: ServerResponse) {
    this.#budget = budget;
    this.#accountId = accountId;
    this.#response = response;
  }

  /** Reserves more. Throws OverloadedError; the reservation stays as it was then. */
  growTo(bytes: number): void {
    if (bytes <= Math.max(this.#bytes, SMALL_BODY_BYTES)) return;
    this.#budget.take(this.#accountId, bytes - this.#bytes);
    if (this.#bytes === 0) {
      this.#response.once("close", this.#end);
      // A response queued after another one on its connection gets no close event of the connection.
      this.#response.req.socket.once("close", this.#end);
    }
    this.#bytes = bytes;
  }

  readonly #end = (): void => {
    this.#response.off("close", this.#end);
    this.#response.req.socket.off("close", this.#end);
    this.#budget.giveBack(this.#accountId, this.#bytes);
    this.#bytes = 0;
  };
}
