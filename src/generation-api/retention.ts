import type { HttpAnswer } from "../platform/http-exchange.js";
import type { AnswerEnvelope } from "./read-answer.js";

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
