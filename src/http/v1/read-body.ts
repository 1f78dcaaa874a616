import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { ContractError } from "../../contract/errors.js";
import { type BodyReservation, SMALL_BODY_BYTES } from "./body-budget.js";
import { BODY_BYTES_MAX } from "./json-body.js";

/** The most bytes that one round of the event loop reads of a body, besides what has arrived with them. */
const ROUND_BYTES = 256 * 1024;

/**
 * Reads a body into one buffer. Reserves its declared length first, otherwise bytes as they arrive. Throws
 * ContractError `payload_too_large`, OverloadedError, and the error of the connection.
 */
export function readBody(
  payload: Readable,
  headers: IncomingHttpHeaders,
  reservation: BodyReservation,
): Promise<Buffer<ArrayBuffer>> {
  const body = new GrowingBuffer(reservation);
  let roundBytes = 0;
  const nextRound = () => {
    roundBytes = 0;
    payload.resume();
  };
  return new Promise((resolve, reject) => {
    const settle = () => {
      payload.off("data", onData).off("end", onEnd).off("error", onError);
      // Discards the rest of a refused body.
      payload.resume();
    };
    const onError = (error: unknown) => {
      settle();
      reject(error);
    };
    const onEnd = () => {
      settle();
      resolve(body.bytes());
    };
    const onData = (chunk: Buffer) => {
      try {
        body.append(chunk);
      } catch (error) {
        onError(error);
        return;
      }
      roundBytes += chunk.length;
      if (roundBytes < ROUND_BYTES) return;
      // A socket gives 2 MB in one round of the loop otherwise.
      payload.pause();
      setImmediate(nextRound);
    };
    try {
      body.growTo(Number(headers["content-length"] ?? SMALL_BODY_BYTES));
    } catch (error) {
      reject(error);
      return;
    }
    payload.on("data", onData).on("end", onEnd).on("error", onError);
  });
}

class GrowingBuffer {
  readonly #reservation: BodyReservation;
  #buffer = Buffer.alloc(0);
  #length = 0;

  constructor(reservation: BodyReservation) {
    this.#reservation = reservation;
  }

  growTo(size: number): void {
    if (size > BODY_BYTES_MAX) throw new ContractError("payload_too_large");
    this.#reservation.growTo(size);
    const larger = Buffer.allocUnsafe(size);
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }

  append(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    if (length > this.#buffer.length)
      this.growTo(Math.max(length, Math.min(2 * this.#buffer.length, BODY_BYTES_MAX)));
    chunk.copy(this.#buffer, this.#length);
    this.#length = length;
  }

  bytes(): Buffer<ArrayBuffer> {
    return this.#buffer.subarray(0, this.#length);
  }
}
