import { setMaxListeners } from "node:events";
import {
  type AnswerEnvelope,
  CallFailedError,
  Retention,
  readContractError,
  readEnvelope,
  wrongAnswer,
} from "../generation-api/answers.js";
import type { Clock } from "../platform/clock.js";
import { type ExchangeOptions, exchange, type HttpAnswer, retryAfterMs } from "../platform/http-exchange.js";
import { isUnwieldy } from "../platform/json.js";
import type { Logger } from "../platform/logger.js";
import type { OpenAgent, OutgoingAgent, ProxySettings } from "../platform/outgoing-agent.js";
import { retry } from "../platform/retry.js";
import { Slots } from "../platform/slots.js";
import type { NoticeQueue } from "../ports/operator-notices.js";

type RequestOutcome = "answered" | "refused" | "throttled" | "failed";

export interface CountedRequests {
  labels: { method: "GET" | "POST"; outcome: RequestOutcome };
  requests: number;
  durationMs: number;
}

function requestOutcome(status: number | undefined): RequestOutcome {
  if (status === 429) return "throttled";
  if (status === undefined || status >= 500) return "failed";
  return status >= 200 && status < 300 ? "answered" : "refused";
}

export interface RemoteOptions {
  /** The address with the version prefix of the API. */
  baseUrl: string;
  notices: NoticeQueue;
  clock: Clock;
  logger: Logger;
  proxy: ProxySettings;
  open: OpenAgent;
}

export interface CallOptions {
  /** Milliseconds of each try, at most `GET_TIMEOUT_MS`. */
  timeoutMs?: number;
  bodyBytesMax?: number;
  /** The most values of the answer. Default: that of `isUnwieldy`. */
  valuesMax?: number | undefined;
  /** The number of tries: 1 for a caller that retries by itself. */
  triesMax?: number;
  signal?: AbortSignal;
}

/** An answer, and its body where that is the service's own. */
interface ReadAnswer {
  answer: HttpAnswer;
  body: AnswerEnvelope | undefined;
}

const GET_TIMEOUT_MS = 20_000;
const POST_TIMEOUT_MS = 60_000;
const TRIES_MAX = 4;
const BACK_OFF = { firstMs: 400, maxMs: 4000 };
/** Milliseconds after the first try in which others may start. */
const TRIES_WITHIN_MS = 8000;
const BODY_BYTES_MAX = 8 * 1024 * 1024;
const CONNECTIONS_MAX = 128;
/** Milliseconds, less than servers keep an idle connection. */
const KEEP_ALIVE_MS = 4000;

/** An answer that is kept for a time. Calls that come while it is awaited share it; a failure is not kept. */
export class CachedAnswer<T> {
  #kept: { answer: T; until: number } | undefined;
  #reading: Promise<T> | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly keptMs: number,
    private readonly read: () => Promise<T>,
  ) {}

  async get(): Promise<T> {
    if (this.#kept && this.clock.monotonic() < this.#kept.until) return this.#kept.answer;
    return this.#reading ?? this.readAnew();
  }

  /** Asks now, so that the answer is at least as new as this call. */
  readAnew(): Promise<T> {
    const reading = this.#keep().finally(() => {
      if (this.#reading === reading) this.#reading = undefined;
    });
    this.#reading = reading;
    return reading;
  }

  async #keep(): Promise<T> {
    const answer = await this.read();
    this.#kept = { answer, until: this.clock.monotonic() + this.keptMs };
    return answer;
  }
}

/** A remote Generation API, shared by all accounts. Redirects are not followed. */
export class Remote {
  readonly retention = new Retention();
  /** Requests that have ended, by method and outcome. */
  readonly counted = new Map<string, CountedRequests>();
  readonly clock: Clock;
  readonly logger: Logger;
  /** Has the password of a proxy. */
  readonly #options: RemoteOptions;
  readonly #agent: OutgoingAgent;
  readonly #closing = new AbortController();
  readonly #posts: Slots;
  #cutFrom: number | undefined;

  constructor(options: RemoteOptions) {
    this.#options = options;
    // Every call adds a listener.
    setMaxListeners(0, this.#closing.signal);
    const { clock, logger, proxy, open } = options;
    this.clock = clock;
    this.logger = logger;
    this.#posts = new Slots(clock, { size: Number.POSITIVE_INFINITY });
    this.#agent = open({ proxy, connections: CONNECTIONS_MAX, keepAliveMs: KEEP_ALIVE_MS });
  }

  /**
   * GETs JSON, with retries while the failure is temporary. Throws ContractError and CallFailedError.
   * @param read validates the body of a 200 and throws WrongAnswerError
   */
  async get<T>(
    path: string,
    key: string | undefined,
    read: (body: AnswerEnvelope) => T,
    options: CallOptions = {},
  ): Promise<T> {
    const { clock, logger } = this;
    // `close` also ends a call through its agent.
    const signal = options.signal ?? this.#closing.signal;
    const lastStart = clock.monotonic() + TRIES_WITHIN_MS;
    const waitOf = (error: unknown) => (error instanceof CallFailedError ? error.retryAfterMs : undefined);
    return retry(
      {
        clock,
        backOff: BACK_OFF,
        maxTries: options.triesMax ?? TRIES_MAX,
        signal,
        until: (error) =>
          !(error instanceof CallFailedError && error.isTemporary) ||
          clock.monotonic() + (waitOf(error) ?? 0) > lastStart,
        pauseFor: waitOf,
        onFailure: (error, attempt) => logger.debug({ err: error, path, attempt }, "GET will be repeated"),
      },
      () => this.#getOnce(path, key, read, { ...options, signal }),
    );
  }

  async #getOnce<T>(
    path: string,
    key: string | undefined,
    read: (body: AnswerEnvelope) => T,
    { timeoutMs = GET_TIMEOUT_MS, bodyBytesMax = BODY_BYTES_MAX, valuesMax, signal }: CallOptions,
  ): Promise<T> {
    const { answer, body } = await this.#exchange("GET", path, key, {
      dispatcher: this.#agent,
      timeoutMs: Math.min(timeoutMs, GET_TIMEOUT_MS),
      bodyBytesMax,
      valuesMax,
      signal,
    }).catch((cause: unknown) => {
      throw new CallFailedError({ cause });
    });
    const { status, fault } = answer;
    const failed = (cause: unknown) =>
      new CallFailedError({ status, retryAfterMs: this.retryAfterOf(answer), cause });
    const refusal = readContractError(body);
    const isRefusal = status >= 400 && status < 500 && status !== 408 && status !== 429;
    if (isRefusal && refusal) throw refusal;
    if (status !== 200 || !body?.ok) throw failed(fault ?? refusal ?? wrongAnswer(answer));
    try {
      return read(body);
    } catch (error) {
      throw failed(error);
    }
  }

  /** Uses a new connection: closing a reused one would leave the outcome uncertain. Throws ExchangeError. */
  async post(
    path: string,
    key: string,
    body: string,
    headers: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<ReadAnswer> {
    const { proxy, open } = this.#options;
    const dispatcher = open({ proxy, connections: 1 });
    const slot = this.#posts.take();
    try {
      return await this.#exchange("POST", path, key, {
        dispatcher,
        headers: { "content-type": "application/json", ...headers },
        body,
        timeoutMs: POST_TIMEOUT_MS,
        bodyBytesMax: BODY_BYTES_MAX,
        signal,
      });
    } finally {
      slot.release();
      void dispatcher.destroy();
    }
  }

  /** Resolves when no POST is in flight, or after `withinMs`. */
  postsEnded(withinMs: number): Promise<void> {
    return this.#posts.idle(withinMs);
  }

  async #exchange(
    method: "GET" | "POST",
    path: string,
    key: string | undefined,
    {
      valuesMax,
      ...request
    }: Omit<ExchangeOptions, "clock" | "method" | "url" | "headers"> &
      Pick<Partial<ExchangeOptions>, "headers"> &
      Pick<CallOptions, "valuesMax">,
  ): Promise<ReadAnswer> {
    const { clock } = this;
    const startedAt = clock.monotonic();
    const url = new URL(this.#options.baseUrl.replace(/\/+$/, "") + path);
    const authorization = key !== undefined && { authorization: `Bearer ${key}` };
    const headers = { accept: "application/json", ...authorization, ...request.headers };
    let status: number | undefined;
    try {
      const given = await exchange({ ...request, clock, method, url, headers });
      const isFit = given.fault !== undefined || !isUnwieldy(given.text, valuesMax);
      const answer = isFit ? given : { ...given, fault: new Error("an answer of too many values") };
      status = answer.fault ? undefined : answer.status;
      const body = readEnvelope(answer);
      this.retention.note(answer, body);
      return { answer, body };
    } finally {
      const labels = { method, outcome: requestOutcome(status) };
      const name = `${labels.method} ${labels.outcome}`;
      const { requests, durationMs } = this.counted.get(name) ?? { requests: 0, durationMs: 0 };
      const tookMs = clock.monotonic() - startedAt;
      this.counted.set(name, { labels, requests: requests + 1, durationMs: durationMs + tookMs });
    }
  }

  retryAfterOf({ headers }: HttpAnswer): number | undefined {
    return retryAfterMs(headers.get("retry-after"), this.clock.now());
  }

  /** Tells of a list of models that had to be cut, once for each length. */
  noteCutModels(shown: number, all: number): void {
    if (this.#cutFrom === all) return;
    this.#cutFrom = all;
    this.logger.error({ models: all, shown }, "too many models, only the first are shown");
    this.#options.notices.tell({ kind: "models_cut", shown, all }, { topic: "models", content: `${all}` });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#agent.destroy();
  }

  /** Returns a signal that `close` aborts too. */
  signalWith(signal: AbortSignal | undefined): AbortSignal {
    return signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal;
  }
}
