import type { FailPoint } from "../../src/platform/fail-point.js";
import type { ExchangeOptions, HttpAnswer } from "../../src/platform/http-exchange.js";
import { Elsewhere } from "./elsewhere.js";
import type { Mood } from "./mood.js";
import type { Deliver, SimCallbacks } from "./sim-callbacks.js";

interface Task {
  id: string;
  endpoint: string;
  input: unknown;
  sentAt: number;
  startsAt: number;
  endsAt: number;
  end: "done" | "refused" | "failed" | "cancelled";
  /** Of its callback. */
  token: string | undefined;
}

/** How a call to the service goes wrong. */
const FAULTS = [
  "not_sent",
  "unanswered",
  "late",
  "refused",
  "refused",
  "throttled",
  "throttled",
  "broken",
] as const;
type Fault = (typeof FAULTS)[number];

const HOST = "https://queue.fal.run/";

/** The queue of fal as the driver sees it: it takes tasks, ends them, and loses or breaks calls. */
export class SimFal extends Elsewhere {
  readonly tasks: Task[] = [];
  /** Share of calls that go wrong. */
  faultShare = 0;
  /** Share of tasks that are taken, and not answered. */
  lostShare = 0;
  /** Whether its list of requests is away. */
  isListHidden = false;
  mood: Mood = "good";
  callbacks: SimCallbacks | undefined;

  /** Answers a call as `exchange` does. */
  async exchange(options: ExchangeOptions, failPoint: FailPoint): Promise<HttpAnswer> {
    const { method, url, signal } = options;
    const sender = this.callbacks?.deliver;
    const isLost = method === "POST" && this.random.chance(this.lostShare);
    const drawn = this.random.chance(this.faultShare) ? this.random.pick(FAULTS) : undefined;
    const fault = isLost ? "late" : drawn;
    await this.onItsWay(signal);
    const asked = this.#taskAt(url);
    // A question that does not arrive was asked, too.
    if (asked?.token !== undefined) this.callbacks?.noteAsked(asked.token);
    if (fault === "not_sent" || this.mood === "unreachable") this.unconnected();
    // The task has never arrived.
    if (isLost && this.random.chance(0.4)) return this.unanswered(options);
    const early = this.#earlyAnswer(fault) ?? this.#moodAnswer(method, url);
    if (early) return early;
    const isSound = fault === undefined && this.faultShare + this.lostShare === 0;
    const answer = this.#answer(method, url, String(options.body ?? ""), isSound ? sender : undefined);
    failPoint(`exchange:after:${method}`);
    return fault === "late" || fault === "unanswered" ? this.unanswered(options) : answer;
  }

  #earlyAnswer(fault: Fault | undefined): HttpAnswer | undefined {
    if (fault === "throttled") return this.answered(429, { detail: "slow down" }, { "retry-after": "3" });
    if (fault === "broken") return this.answered(502, "bad gateway");
    return fault === "refused" ? this.answered(422, { detail: "cannot do that" }) : undefined;
  }

  /** What is not taken is surely not made. */
  #moodAnswer(method: string, { hostname }: URL): HttpAnswer | undefined {
    if (this.mood === "unpaid" && (method === "POST" || hostname === "rest.fal.ai"))
      return this.answered(402, { detail: "no balance" });
    if (method !== "POST" || hostname === "rest.fal.ai") return undefined;
    if (this.mood === "throttled")
      return this.answered(429, { detail: "slow down" }, { "retry-after": "30" });
    return this.mood === "refusing" ? this.answered(422, { detail: "cannot do that" }) : undefined;
  }

  #answer(method: string, url: URL, body: string, sender: Deliver | undefined): HttpAnswer {
    if (url.hostname === "rest.fal.ai")
      return this.answered(200, { upload_url: `${HOST}up`, file_url: `${HOST}f` });
    if (url.hostname === "api.fal.ai")
      return this.isListHidden ? this.answered(503, "unavailable") : this.#list(url);
    if (method === "POST") return this.#accept(url, JSON.parse(body), sender);
    const task = this.#taskAt(url);
    if (!task) return this.answered(404, { detail: "no such request" });
    if (method === "PUT") return this.#cancel(task);
    return url.pathname.endsWith("/status") ? this.#status(task) : this.#result(task);
  }

  #taskAt({ pathname }: URL): Task | undefined {
    const [, id] = /\/requests\/([^/]+)(?:\/\w+)?$/.exec(pathname) ?? [];
    return this.tasks.find((task) => task.id === id);
  }

  #accept({ pathname, searchParams }: URL, input: unknown, sender: Deliver | undefined): HttpAnswer {
    const callback = searchParams.get("fal_webhook");
    const now = this.now();
    const startsAt = now + this.random.integer(0, 5000);
    const task: Task = {
      id: `task-${this.tasks.length + 1}`,
      endpoint: pathname.slice(1),
      input,
      sentAt: now,
      startsAt,
      endsAt: startsAt + this.random.integer(1000, 40_000),
      end: this.random.weighted([
        [82, "done"],
        [8, "refused"],
        [10, "failed"],
      ] as const),
      token: undefined,
    };
    this.tasks.push(task);
    if (callback !== null) task.token = this.callbacks?.promise(callback, task.endsAt - now, sender);
    return this.answered(200, { request_id: task.id });
  }

  #status({ startsAt, endsAt }: Task): HttpAnswer {
    const now = this.now();
    if (now < startsAt) return this.answered(202, { status: "IN_QUEUE", queue_position: 1 });
    return this.answered(200, { status: now < endsAt ? "IN_PROGRESS" : "COMPLETED" });
  }

  #result({ id, end, endsAt }: Task): HttpAnswer {
    if (this.now() < endsAt) return this.answered(400, { detail: "Request is still in progress" });
    const files = {
      images: [{ url: `https://fal.media/${id}.png` }],
      video: { url: `https://fal.media/${id}.mp4` },
    };
    if (end === "done")
      return this.answered(200, { ...files, audio: { url: `https://fal.media/${id}.mp3` } });
    const type = end === "refused" ? "content_policy_violation" : "internal_server_error";
    return this.answered(end === "refused" ? 422 : 500, { detail: [{ type, msg: "no" }] });
  }

  #cancel(task: Task): HttpAnswer {
    const now = this.now();
    if (now >= task.startsAt) return this.answered(400, { detail: "already started" });
    task.end = "cancelled";
    task.endsAt = now;
    return this.answered(202, {});
  }

  /** Lists the requests that have ended. */
  #list(url: URL): HttpAnswer {
    const endpoint = url.searchParams.get("endpoint_id");
    const ended = this.tasks.filter((one) => one.endpoint === endpoint && one.endsAt <= this.now());
    const items = ended.map(({ id, sentAt, input }) => ({
      request_id: id,
      sent_at: new Date(sentAt).toISOString(),
      json_input: input,
    }));
    return this.answered(200, { items, has_more: false, next_cursor: null });
  }
}
