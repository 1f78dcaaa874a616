import { setTimeout as pause } from "node:timers/promises";
import { Agent, fetch, type RequestInit, type Response } from "undici";
import { z } from "zod";

const LOOK_EVERY_MS = 2000;
const REQUEST_TIMEOUT_MS = 30_000;
/** More of them would be open files of the service that are the client's doing. */
const CONNECTIONS_MAX = 16;

export interface PacedJobsPlan {
  port: number;
  /** Keys of the accounts, which take turns. */
  keys: readonly string[];
  /** Bodies of POST /generations, in turns. */
  requests: readonly object[];
  perSec: number;
  durationMs: number;
  /** How long a job may take. */
  jobTimeoutMs: number;
}

/** What became of the jobs. */
export interface JobCounts {
  posted: number;
  done: number;
  /** By what was answered, or went wrong. */
  failed: Map<string, number>;
}

const accepted = z.object({ job_id: z.union([z.string(), z.number()]) });
const url = z.string().nullable();
const shown = z.object({
  job: z.object({
    status: z.string(),
    result: z.object({ url, tracks: z.array(z.object({ url })).optional() }).nullish(),
  }),
});

type Shown = z.infer<typeof shown>;

/** Posts jobs at a steady pace, whatever the answers, and follows each as a client does, up to its downloaded files. */
export class PacedJobs {
  readonly counts: JobCounts = { posted: 0, done: 0, failed: new Map() };

  readonly #agent = new Agent({ connections: CONNECTIONS_MAX });

  constructor(private readonly plan: PacedJobsPlan) {}

  /** Resolves when the last job has ended. */
  async run(): Promise<void> {
    const { perSec, durationMs } = this.plan;
    const jobs: Promise<void>[] = [];
    const beganAt = performance.now();
    for (const total = Math.ceil((perSec * durationMs) / 1000); jobs.length < total; ) {
      jobs.push(this.#make(this.counts.posted++));
      await pause(Math.max(0, beganAt + (jobs.length * 1000) / perSec - performance.now()));
    }
    await Promise.all(jobs);
    await this.#agent.close();
  }

  async #make(turn: number): Promise<void> {
    const { failed } = this.counts;
    try {
      await this.#follow(turn);
      this.counts.done += 1;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      failed.set(reason, (failed.get(reason) ?? 0) + 1);
    }
  }

  async #follow(turn: number): Promise<void> {
    const { port, keys, requests, jobTimeoutMs } = this.plan;
    const root = `http://127.0.0.1:${port}/v1/generations`;
    const headers = {
      authorization: `Bearer ${keys[turn % keys.length]}`,
      "content-type": "application/json",
    };
    const body = JSON.stringify(requests[turn % requests.length]);
    const { job_id: id } = accepted.parse(
      await (await this.#ask(root, { method: "POST", headers, body })).json(),
    );
    const endsAt = performance.now() + jobTimeoutMs;
    for (;;) {
      await pause(LOOK_EVERY_MS);
      const { job } = shown.parse(await (await this.#ask(`${root}/${id}`, { headers })).json());
      if (job.status === "error") throw new Error("the job failed");
      if (job.status === "done") return this.#download(job.result);
      if (performance.now() > endsAt) throw new Error("the job does not end");
    }
  }

  async #download(result: Shown["job"]["result"]): Promise<void> {
    const links = [result?.url, ...(result?.tracks ?? []).map((track) => track.url)];
    const files = [...new Set(links)].filter((link) => typeof link === "string");
    if (files.length === 0) throw new Error("the job has no files");
    for (const file of files) await (await this.#ask(file, {})).arrayBuffer();
  }

  async #ask(address: string, init: RequestInit): Promise<Response> {
    const answer = await fetch(address, {
      ...init,
      dispatcher: this.#agent,
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    if (!answer.ok) throw new Error(`answered ${answer.status}: ${await answer.text()}`);
    return answer;
  }
}
