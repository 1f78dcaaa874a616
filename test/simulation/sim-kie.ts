import { z } from "zod";
import type { FailPoint } from "../../src/platform/fail-point.js";
import type { ExchangeOptions, HttpAnswer } from "../../src/platform/http-exchange.js";
import { Elsewhere } from "./elsewhere.js";
import type { Mood } from "./mood.js";
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

/** kie.ai as the driver sees it, beside fal. It has no list of tasks: what is in doubt there stays so. */
export class SimKie extends Elsewhere {
  readonly tasks: KieTask[] = [];
  /** Share of calls that go wrong. */
  faultShare = 0;
  mood: Mood = "good";

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
    const sender = callbacks?.deliver;
    const isFaulty = this.random.chance(this.faultShare);
    await this.onItsWay(options.signal);
    const asked = this.#taskAt(options.url);
    // A question that does not arrive was asked, too.
    if (asked?.token !== undefined) callbacks?.noteAsked(asked.token);
    const isLost = this.mood === "unreachable" || (isFaulty && this.random.chance(0.4));
    if (isLost) this.unconnected();
    const answer = this.#answer(options, callbacks, isFaulty ? undefined : sender);
    failPoint(`exchange:after:${options.method}`);
    return isFaulty ? this.unanswered(options) : answer;
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
    const startsAt = this.now() + this.random.integer(0, 5000);
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
        task.endsAt - this.now(),
        this.faultShare === 0 ? sender : undefined,
      );
    return this.#told(200, { taskId: task.id });
  }

  #record({ id, model, startsAt, endsAt, isFailing }: KieTask): object {
    const now = this.now();
    if (now < endsAt) return { model, state: now < startsAt ? "queuing" : "generating" };
    if (isFailing) return { model, state: "fail", failCode: "500", failMsg: "it broke" };
    const urls = [`https://tempfile.aiquickdraw.com/${id}.png`];
    const songs = [{ audio_url: `https://tempfile.aiquickdraw.com/${id}.mp3` }];
    return { model, state: "success", resultJson: JSON.stringify({ resultUrls: urls, data: songs }) };
  }

  /** The status stands in the body. */
  #told(code: number, data: unknown, msg = "success"): HttpAnswer {
    return this.answered(200, { code, msg, data });
  }
}
