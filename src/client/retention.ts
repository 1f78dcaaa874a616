import type { HttpAnswer } from "../platform/http-exchange.js";
import type { Envelope } from "./read-answer.js";

/** Announces that a service honours `Idempotency-Key`, and for how many seconds. */
const HEADER = "idempotency-key-retention";

/** What the service said last about repeated POSTs. */
export class Retention {
  #announcedMs: number | undefined;
  #isKnown = false;

  /** Notes an answer. One without the header revokes it only where the service itself surely gave the answer. */
  note({ status, headers }: HttpAnswer, body: Envelope | undefined): void {
    const given = headers.get(HEADER) ?? "";
    const announcedMs = /^[1-9]\d{0,8}$/.test(given) ? Number(given) * 1000 : undefined;
    if (announcedMs === undefined && (!body || status >= 500)) return;
    this.#announcedMs = announcedMs;
    this.#isKnown = true;
  }

  /** False before the first answer. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** Undefined where a POST must never be repeated. */
  get announcedMs(): number | undefined {
    return this.#announcedMs;
  }
}
