import { z } from "zod";
import { type Clock, sleep } from "../../src/platform/clock.js";
import type { FailPoint } from "../../src/platform/fail-point.js";
import { ExchangeError, type ExchangeOptions, type HttpAnswer } from "../../src/platform/http-exchange.js";
import type { Mood } from "./mood.js";
import type { Random } from "./random.js";
import type { Deliver, SimCallbacks } from "./sim-callbacks.js";

export interface KieTask {
  id: string;
  model: string;
  input: unknown;
  startsAt: number;
  endsAt: number;
  isFailing: boolean;
  /** Of its callback. */
  token: string | undefined;
}

const submitted = z.looseObject({
  model: z.string(),
  input: z.unknown(),
  callBackUrl: z.string().optional(),
});
/** When the manual clock begins. */
const EPOCH = Date.UTC(2026, 0, 1);

/** kie.ai as the driver sees it, beside fal. It has no list of tasks: what is in doubt there stays so. */
export class SimKie {
  readonly tasks: KieTask[] = [];
  /** Share of calls that go wrong. */
  faultShare = 0;
  mood: Mood = "good";

  constructor(
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  calmDown(): void {
    this.faultShare = 0;
    this.mood = "good";
  }

  /** Answers a call as `exchange` does. */
  async exchange(
    options: ExchangeOptions,
    failPoint: FailPoint,
    callbacks: SimCallbacks | undefined,
  ): Promise<HttpAnswer> {
    const { method, signal, timeoutMs = 60_000 } = options;
    const sender = callbacks?.deliver;
    const isFaulty = this.random.chance(this.faultShare);
    await sleep(this.clock, this.random.integer(1, 400), signal);
    if (signal?.aborted) throw new ExchangeError(true, signal.reason);
    const asked = this.#taskAt(options.url);
    // A question that does not arrive was asked, too.
    if (asked?.token !== undefined) callbacks?.noteAsked(asked.token);
    const isLost = this.mood === "unreachable" || (isFaulty && this.random.chance(0.4));
    if (isLost) throw new ExchangeError(false, new Error("no connection"));
    const answer = this.#answer(options, callbacks, isFaulty ? undefined : sender);
    failPoint(`exchange:after:${method}`);
    if (!isFaulty) return answer;
    await sleep(this.clock, timeoutMs, signal);
    throw new ExchangeError(true, new Error("no answer"));
  }

  #answer(
    { method, url, body = "" }: ExchangeOptions,
    callbacks: SimCallbacks | undefined,
    sender: Deliver | undefined,
  ): HttpAnswer {
    if (url.pathname.endsWith("/chat/credit")) return this.#told(200, this.mood === "unpaid" ? 0 : 500);
    if (method === "POST") return this.#accept(submitted.parse(JSON.parse(String(body))), callbacks, sender);
    const task = this.#taskAt(url);
    return task ? this.#told(200, this.#record(task)) : this.#told(422, null, "recordInfo is null");
  }

  #taskAt({ searchParams }: URL): KieTask | undefined {
    return this.tasks.find(({ id }) => id === searchParams.get("taskId"));
  }

  #accept(
    wanted: z.infer<typeof submitted>,
    callbacks: SimCallbacks | undefined,
    sender: Deliver | undefined,
  ): HttpAnswer {
    if (this.mood === "unpaid") return this.#told(402, null, "credits insufficient");
    if (this.mood === "throttled") return this.#told(429, null, "slow down");
    if (this.mood === "refusing") return this.#told(422, null, "cannot do that");
    const startsAt = this.#now() + this.random.integer(0, 5000);
    const task: KieTask = {
      id: `kie-${this.tasks.length + 1}`,
      model: wanted.model,
      input: wanted.input,
      startsAt,
      endsAt: startsAt + this.random.integer(1000, 40_000),
      isFailing: this.random.chance(0.1),
      token: undefined,
    };
    this.tasks.push(task);
    if (wanted.callBackUrl !== undefined)
      task.token = callbacks?.promise(
        wanted.callBackUrl,
        task.endsAt - this.#now(),
        this.faultShare === 0 ? sender : undefined,
      );
    return this.#told(200, { taskId: task.id });
  }

  #record({ id, model, startsAt, endsAt, isFailing }: KieTask): object {
    const now = this.#now();
    if (now < endsAt) return { model, state: now < startsAt ? "queuing" : "generating" };
    if (isFailing) return { model, state: "fail", failCode: "500", failMsg: "it broke" };
    const urls = [`https://tempfile.aiquickdraw.com/${id}.png`];
    const songs = [{ audio_url: `https://tempfile.aiquickdraw.com/${id}.mp3` }];
    return { model, state: "success", resultJson: JSON.stringify({ resultUrls: urls, data: songs }) };
  }

  #now(): number {
    return EPOCH + this.clock.monotonic();
  }

  /** The status stands in the body. */
  #told(code: number, data: unknown, msg = "success"): HttpAnswer {
    const headers = new Map([["date", new Date(this.#now()).toUTCString()]]);
    return { status: 200, headers, text: JSON.stringify({ code, msg, data }), fault: undefined };
  }
}
