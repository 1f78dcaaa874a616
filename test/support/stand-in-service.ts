import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { JobId } from "../../src/contract/job.js";
import { reset } from "./faulty-service.js";
import { STAND_IN_MODELS } from "./stand-in-catalogue.js";

export { STAND_IN_CATALOGUE } from "./stand-in-catalogue.js";

type Body = Record<string, unknown>;
type Answer = [status: number, body: Body];

interface StandInJob {
  id: JobId;
  key: string;
  type: string;
  kopecks: number;
  /** Not a word of the contract, until the job ends. */
  status: "scheduled" | "done" | "error";
}

/** A Generation API of somebody else, in memory: no idempotency, ids that are words, no word on refunds. */
export interface StandIn {
  /** With the version prefix. */
  url: string;
  /** Bodies of the POSTs that arrived whole. */
  posts: Body[];
  credit(key: string, kopecks: number): void;
  finish(id: JobId): void;
  fail(id: JobId): void;
  loseFiles(): void;
  /** The next accepted POST gets no answer. */
  loseAnswer(): void;
  close(): Promise<void>;
}

const FILES: Readonly<Record<string, string>> = {
  image: "image/webp",
  video: "video/mp4",
  music: "audio/mpeg",
  cover: "image/png",
};

export async function startStandIn(refundsFailedJobs: boolean): Promise<StandIn> {
  const balances = new Map<string, number>();
  const jobs = new Map<string, StandInJob>();
  let hasFiles = true;
  let isLosing = false;

  const server = createServer((request, response) => void serve(request, response));
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const path = (request.url ?? "").replace("/api/v1", "");
    const key = (request.headers.authorization ?? "").replace("Bearer ", "");
    if (path.startsWith("/file/")) return file(path, response);
    if (request.method !== "POST") return send(response, read(path, key));
    standIn.posts.push(JSON.parse(body) as Body);
    const answer = accept(JSON.parse(body) as Body, key);
    if (!isLosing || answer[0] !== 200) return send(response, answer);
    isLosing = false;
    reset(request);
  }

  function read(path: string, key: string): Answer {
    if (path === "/health") return [200, { ok: true, version: "v1" }];
    const kopecks = balances.get(key);
    if (kopecks === undefined) return [401, { ok: false, error: "invalid_api_key" }];
    if (path === "/balance")
      return [200, { ok: true, balance: { currency: "RUB", amount: kopecks / 100, tier: 3 } }];
    if (path === "/models") return [200, { ok: true, models: STAND_IN_MODELS }];
    const job = jobs.get(path.replace("/generations/", ""));
    return job?.key === key ? [200, { ok: true, job: shown(job) }] : refusal(404, "job_not_found");
  }

  function accept(body: Body, key: string): Answer {
    const fault = faultOf(body);
    if (fault) return refusal(400, fault);
    const { unit, count } = priceOf(body);
    const balance = balances.get(key) ?? 0;
    const cost_rub = (unit * count) / 100;
    if (balance < unit * count)
      return [402, { ok: false, error: "insufficient_funds", balance: balance / 100, cost_rub }];
    balances.set(key, balance - unit * count);
    const job_ids = Array.from({ length: count }, () => addJob(String(body.type), key, unit));
    const accepted = {
      job_id: job_ids[0],
      job_ids,
      status: "scheduled",
      cost_rub,
      unit_cost_rub: unit / 100,
    };
    return [200, { ok: true, ...accepted }];
  }

  function addJob(type: string, key: string, kopecks: number): JobId {
    const id = `${type === "music" ? "music_" : "fx-"}${jobs.size + 1}`;
    jobs.set(id, { id, key, type, kopecks, status: "scheduled" });
    return id;
  }

  function shown({ id, type, status, kopecks }: StandInJob): Body {
    const job = { job_id: id, type, status, cost_rub: kopecks / 100, created_at: null, eta: 5 };
    if (status !== "done") return { ...job, result: null, error: status === "error" ? "It broke." : null };
    return { ...job, result: resultOf(id, type), error: null };
  }

  function resultOf(id: JobId, type: string): Body {
    const linkTo = (kind: string) => `${standIn.url}/file/${kind}/${id}`;
    const own = { url: linkTo(type), mime: FILES[type] };
    if (type !== "music") return own;
    return { ...own, tracks: [{ index: 1, title: "Hum", duration: 9, ...own, image_url: linkTo("cover") }] };
  }

  function file(path: string, response: ServerResponse): void {
    const content = Buffer.from(`the file ${path}`);
    const mime = FILES[path.split("/")[2] ?? ""] ?? "";
    if (!hasFiles) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": mime, "content-length": content.length }).end(content);
  }

  function end(id: JobId, status: "done" | "error"): void {
    const job = jobs.get(String(id));
    if (!job) throw new Error(`no job ${id}`);
    job.status = status;
    if (status === "error" && refundsFailedJobs)
      balances.set(job.key, (balances.get(job.key) ?? 0) + job.kopecks);
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const standIn: StandIn = {
    url: `http://127.0.0.1:${port}/api/v1`,
    posts: [],
    credit: (key, kopecks) => void balances.set(key, (balances.get(key) ?? 0) + kopecks),
    finish: (id) => end(id, "done"),
    fail: (id) => end(id, "error"),
    loseFiles() {
      hasFiles = false;
    },
    loseAnswer() {
      isLosing = true;
    },
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return standIn;
}

function send(response: ServerResponse, [status, body]: Answer): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function refusal(status: number, error: string): Answer {
  return [status, { ok: false, error }];
}

function faultOf(body: Body): string | undefined {
  const { type, model_key, prompt, description, aspect_ratio = "1:1", reference_urls } = body;
  if (!STAND_IN_MODELS.some((model) => model.type === type && model.model_key === model_key))
    return "model_disabled";
  if (type === "music") return typeof description === "string" ? undefined : "bad_music_description";
  if (typeof prompt !== "string") return "prompt_required";
  if (prompt.length > 500) return "prompt_too_long";
  if (aspect_ratio !== "1:1" && aspect_ratio !== "5:4") return "bad_aspect_ratio";
  return String(reference_urls).includes("localhost") ? "reference_url_not_allowed" : undefined;
}

/** In kopecks, by the table of prices above. */
function priceOf({ type, resolution, duration_sec, count }: Body): { unit: number; count: number } {
  if (type === "music") return { unit: 4000, count: 1 };
  if (type === "video") return { unit: duration_sec === 10 ? 5500 : 3000, count: 1 };
  return { unit: resolution === "2K" ? 2000 : 1250, count: typeof count === "number" ? count : 1 };
}
