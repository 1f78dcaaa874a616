import type { Catalogue } from "../../src/catalogue/catalogue.js";
import { ContractError } from "../../src/contract/errors.js";
import type { JobId } from "../../src/contract/job.js";
import { type Kopecks, rublesOf } from "../../src/contract/price.js";
import type { GenerationRequest } from "../../src/contract/request.js";
import { publicJobId } from "../../src/jobs/job-store.js";
import { readRequest } from "../../src/jobs/read-request.js";
import type { Clock } from "../../src/platform/clock.js";
import { HOUR_MS } from "../../src/platform/units.js";
import { markedWebp } from "../support/picture.js";
import { CATALOGUES } from "./catalogues.js";
import type { Random } from "./random.js";
import type { SimAccounts } from "./sim-accounts.js";
import type { SimAnswer, SimHost, SimRequest } from "./sim-agent.js";

export const API_URL = "https://api.invalid/v1";
const FILES_URL = "https://files.invalid";
const RETENTION_SEC = 24 * 3600;

/** A job that was made, and paid for. */
export interface ApiJob {
  id: JobId;
  request: GenerationRequest;
  kopecks: Kopecks;
  /** For how long it had cost that, in ms. */
  pricedForMs: number;
  /** Of the POST that made it. */
  idempotencyKey: string | undefined;
  /** That made it, where people have accounts. */
  account: string | undefined;
  startsAt: number;
  endsAt: number;
  /** Its link comes after its end. */
  linkedAt: number;
  isFailing: boolean;
}

/** A POST that has left, and the status that its sender heard: without one, or with 5xx, it is in doubt. */
export interface Post {
  prompt: string;
  idempotencyKey: string | undefined;
  heard: number | undefined;
  /** Whose key it had, where people have accounts. */
  account: string | undefined;
}

/** A Generation API elsewhere, with one account. It outlives the processes. */
export class SimApi implements SimHost {
  readonly jobs: ApiJob[] = [];
  readonly posts: Post[] = [];
  /** Jobs that an admin has named for orders in doubt, maybe for another one of the same words. */
  readonly named = new Set<JobId>();
  faultShare = 0;
  /** Undefined where everybody shares an account. */
  accounts: SimAccounts | undefined;
  /** Whether it keeps idempotency keys, and says so. */
  readonly isIdempotent: boolean;
  /** Whether links may come after the end of their jobs. */
  readonly areLinksLate: boolean;
  readonly #postOf = new Map<SimRequest, Post>();
  readonly #answers = new Map<string, SimAnswer>();
  #catalogue: Catalogue = CATALOGUES[0];
  #changedAt = 0;

  constructor(
    private readonly clock: Clock,
    private readonly random: Random,
    keepsKeys?: boolean,
  ) {
    const drawn = random.chance(0.5);
    this.isIdempotent = keepsKeys ?? drawn;
    this.areLinksLate = random.chance(0.5);
  }

  /** Other models or prices from now on. */
  change(): void {
    this.#catalogue = this.random.pick(CATALOGUES);
    this.#changedAt = this.#now();
  }

  /** Without it nobody connects an account. */
  isSpared({ url }: SimRequest): boolean {
    return this.accounts !== undefined && url.pathname.endsWith("/balance");
  }

  onSent(request: SimRequest): void {
    if (request.method !== "POST") return;
    const idempotencyKey = request.headers["idempotency-key"];
    const prompt = wordsOf(JSON.parse(request.body) as GenerationRequest);
    const account = request.headers.authorization?.split("-", 3)[2];
    const post: Post = { prompt, idempotencyKey, heard: undefined, account };
    this.posts.push(post);
    this.#postOf.set(request, post);
  }

  onHeard(request: SimRequest, { status }: SimAnswer): void {
    const post = this.#postOf.get(request);
    if (post) post.heard = status;
  }

  answer(request: SimRequest): SimAnswer {
    const { method, url } = request;
    if (url.href.startsWith(FILES_URL)) return file(url.pathname.slice(1));
    const path = url.href.slice(API_URL.length);
    const account = this.accounts?.accountOf(request.headers);
    if (this.accounts && path !== "/health" && account === undefined)
      return this.#json(401, { error: "invalid_api_key" });
    if (method === "POST") return this.#accept(request);
    if (path === "/health") return this.#json(200, { version: "v1" });
    if (path === "/balance") return this.#json(200, { balance: { currency: "RUB", amount: 5000 } });
    if (path === "/models") return this.#json(200, { models: this.#catalogue.models });
    const job = this.jobs.find(({ id }) => path === `/generations/${id}`);
    const isOwn = job?.account === account;
    if (job && Number.parseInt(job.account ?? "", 10) !== Number.parseInt(account ?? "", 10) && !isOwn)
      this.accounts?.strange.push(`job ${job.id} of ${job.account} was asked for as ${account}`);
    return job && isOwn
      ? this.#json(200, { job: this.#view(job) })
      : this.#json(404, { error: "job_not_found" });
  }

  /** Its clock is right whatever becomes of ours. */
  #now(): number {
    return this.clock.monotonic();
  }

  #accept({ body, headers }: SimRequest): SimAnswer {
    const key = this.isIdempotent ? headers["idempotency-key"] : undefined;
    const known = key === undefined ? undefined : this.#answers.get(key);
    if (known) return known;
    const answer = this.#make(body, headers["idempotency-key"], this.accounts?.accountOf(headers));
    if (key !== undefined && answer.status === 200) this.#answers.set(key, answer);
    return answer;
  }

  #make(body: string, idempotencyKey: string | undefined, account: string | undefined): SimAnswer {
    if (this.random.chance(0.1))
      return this.#json(402, { error: "insufficient_funds", balance: 1, cost_rub: 100 });
    try {
      const { request, count, unitKopecks, totalKopecks } = readRequest(JSON.parse(body), this.#catalogue);
      const made = Array.from({ length: count }, () =>
        this.#add(request, unitKopecks, { idempotencyKey, account }),
      );
      const ids = made.map(({ id }) => id);
      const unit = request.type === "image" ? { job_ids: ids, unit_cost_rub: rublesOf(unitKopecks) } : {};
      return this.#json(200, { job_id: ids[0], ...unit, status: "queued", cost_rub: rublesOf(totalKopecks) });
    } catch (error) {
      if (!(error instanceof ContractError)) throw error;
      return this.#json(400, { error: error.code, ...error.detail });
    }
  }

  #add(request: GenerationRequest, kopecks: Kopecks, by: Pick<ApiJob, "idempotencyKey" | "account">): ApiJob {
    const random = this.random;
    const startsAt = this.#now() + random.integer(0, 5000);
    const endsAt = startsAt + random.integer(1000, 60_000);
    const job: ApiJob = {
      id: publicJobId(request.type, this.jobs.length + 1),
      request,
      kopecks,
      pricedForMs: this.#now() - this.#changedAt,
      ...by,
      startsAt,
      endsAt,
      linkedAt: endsAt + (this.areLinksLate && random.chance(0.2) ? random.integer(1000, HOUR_MS / 4) : 0),
      isFailing: random.chance(0.1),
    };
    this.jobs.push(job);
    return job;
  }

  #view({ id, request: { type, model_key }, kopecks, startsAt, endsAt, linkedAt, isFailing }: ApiJob) {
    const now = this.#now();
    const hasEnded = now >= endsAt;
    const isDone = hasEnded && !isFailing;
    const url = now < linkedAt ? null : `${FILES_URL}/${id}?${now}`;
    const tracks = [{ index: 1, title: "Song", duration: 60, url, mime: "audio/mpeg", image_url: null }];
    const result = type === "music" ? { url, mime: "audio/mpeg", tracks } : { url, mime: "image/webp" };
    return {
      job_id: id,
      type,
      status: isDone ? "done" : hasEnded ? "error" : now < startsAt ? "queued" : "generating",
      model: model_key,
      model_title: model_key,
      aspect_ratio: null,
      duration_sec: null,
      cost_rub: rublesOf(kopecks),
      result: isDone ? (type === "video" ? { url, mime: "video/mp4" } : result) : null,
      error: hasEnded && isFailing ? "it failed" : null,
      created_at: null,
    };
  }

  #json(status: number, body: object): SimAnswer {
    const headers = {
      "content-type": "application/json",
      ...(this.isIdempotent && { "idempotency-key-retention": String(RETENTION_SEC) }),
    };
    return { status, headers, body: Buffer.from(JSON.stringify({ ok: status === 200, ...body })) };
  }
}

/** What its person wrote. */
export function wordsOf({ prompt, description, lyrics }: GenerationRequest): string {
  return String(prompt ?? description ?? lyrics ?? "");
}

/** The content names its job. */
function file(id: string): SimAnswer {
  return { status: 200, headers: {}, body: markedWebp(`\nhttps://files.invalid/${id}.webp`) };
}
