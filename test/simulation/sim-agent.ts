import { Dispatcher } from "undici";
import { type Clock, sleep } from "../../src/platform/clock.js";
import type { FailPoint } from "../../src/platform/fail-point.js";
import type { Random } from "./random.js";

export interface SimRequest {
  method: string;
  url: URL;
  headers: Readonly<Record<string, string>>;
  body: string;
}

export interface SimAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

/** A host elsewhere, which outlives the processes. */
export interface SimHost {
  /** Share of calls that go wrong. */
  readonly faultShare: number;
  /** Whether such a call goes wrong more rarely, since much hangs on it. */
  isSpared(request: SimRequest): boolean;
  /** Called as soon as a request leaves, and with what its caller hears in the end. */
  onSent(request: SimRequest): void;
  onHeard(request: SimRequest, answer: SimAnswer): void;
  answer(request: SimRequest): SimAnswer;
}

interface AgentParts {
  host: SimHost;
  clock: Clock;
  random: Random;
  failPoint: FailPoint;
  isDead: () => boolean;
}

/** How a call goes wrong: before or after the host has read it, or on the way back. */
const FAULTS = ["not_sent", "lost", "unanswered", "reset", "cut", "throttled", "broken", "doubled"] as const;
type Fault = (typeof FAULTS)[number];
const SPARED = 5;

class Controller implements Dispatcher.DispatchController {
  aborted = false;
  paused = false;
  reason: Error | null = null;
  readonly #onAbort: (reason: Error) => void;

  constructor(onAbort: (reason: Error) => void) {
    this.#onAbort = onAbort;
  }

  abort(reason: Error): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.#onAbort(reason);
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
  }
}

/** The connections of one process to a host, which lose and break calls. */
export class SimAgent extends Dispatcher {
  constructor(private readonly parts: AgentParts) {
    super();
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const request: SimRequest = {
      method: options.method,
      url: new URL(options.path, options.origin),
      headers: options.headers as Record<string, string>,
      body: typeof options.body === "string" ? options.body : "",
    };
    // A dead process, and a call that its fail point ended, hear nothing.
    void this.#send(request, handler).catch((error: unknown) => {
      if (!this.parts.isDead()) throw error;
    });
    return true;
  }

  override destroy(): Promise<void> {
    return Promise.resolve();
  }

  async #send(request: SimRequest, handler: Dispatcher.DispatchHandler): Promise<void> {
    const { host, clock, random, failPoint, isDead } = this.parts;
    const share = host.isSpared(request) ? host.faultShare / SPARED : host.faultShare;
    const fault = random.chance(share) ? random.pick(FAULTS) : undefined;
    const controller = new Controller((reason) => {
      if (!isDead()) handler.onResponseError?.(controller, reason);
    });
    const isOver = () => controller.aborted || isDead();
    const fail = (why: string) => controller.abort(new Error(why));
    if (isDead()) return;
    failPoint(`exchange:before:${request.method}`);
    await sleep(clock, random.integer(1, 40));
    if (isDead()) return;
    if (fault === "not_sent") return fail("no connection");
    handler.onRequestStart?.(controller, {});
    if (isOver()) return;
    host.onSent(request);
    if (fault === "throttled" || fault === "broken")
      return this.#respond(request, refused(fault), handler, controller);
    await sleep(clock, random.integer(1, 300));
    // What has left is read whatever becomes of its sender.
    if (fault === "lost") return isOver() ? undefined : fail("connection reset");
    let answer = host.answer(request);
    if (fault === "doubled") answer = host.answer(request);
    if (isDead()) return;
    failPoint(`exchange:after:${request.method}`);
    await sleep(clock, random.integer(1, 100));
    if (isOver() || fault === "unanswered") return;
    if (fault === "reset") return fail("connection reset");
    await this.#respond(request, answer, handler, controller, fault);
  }

  async #respond(
    request: SimRequest,
    answer: SimAnswer,
    handler: Dispatcher.DispatchHandler,
    controller: Controller,
    fault?: Fault,
  ): Promise<void> {
    const { host, isDead } = this.parts;
    const { status, headers, body } = answer;
    handler.onResponseStart?.(controller, status, { "content-length": `${body.length}`, ...headers });
    if (controller.aborted) return;
    if (fault === "cut") {
      handler.onResponseData?.(controller, body.subarray(0, body.length >> 1));
      await sleep(this.parts.clock, 1);
      if (!isDead()) controller.abort(new Error("connection reset"));
      return;
    }
    host.onHeard(request, answer);
    handler.onResponseData?.(controller, body);
    if (!controller.aborted) handler.onResponseEnd?.(controller, {});
  }
}

function refused(fault: "throttled" | "broken"): SimAnswer {
  if (fault === "throttled")
    return { status: 429, headers: { "retry-after": "3" }, body: Buffer.from("slow down") };
  return {
    status: 502,
    headers: { "content-type": "text/html" },
    body: Buffer.from("<html>bad gateway</html>"),
  };
}
