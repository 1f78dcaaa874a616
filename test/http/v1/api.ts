import { onTestFinished } from "vitest";
import { asKopecks } from "../../../src/contract/price.js";
import { createHttpServer } from "../../../src/http/server.js";
import { makeTestCore, type TestCoreOptions } from "../../support/core.js";
import { recordingLogger } from "../../support/log.js";
import { newFolder } from "../../support/new-folder.js";
import { SERVER } from "../harness.js";
import { type Answer, judgeAnswer } from "./judge.js";

export type { Answer };

export interface ApiOptions extends TestCoreOptions {
  rateLimitPerMinute?: number;
  /** The first credit of the account, in rubles. */
  rubles?: number;
}

/** The embedded core behind the real HTTP server, an account with a credit, and its key. */
export async function openApi({ rateLimitPerMinute = 0, rubles = 100_000, ...options }: ApiOptions = {}) {
  const { logger, lines } = recordingLogger("debug");
  const directory = newFolder();
  const world = makeTestCore({ directory, logger, ...options });
  world.provider.holds = true;
  const server = createHttpServer({
    ...SERVER,
    routes: world.core.routes,
    healthChecks: [],
    upstreams: world.core.upstreams,
    metrics: { collectors: world.core.collectors, token: undefined },
    rateLimitPerMinute,
    clock: world.clock,
    logger,
  });
  const url = await server.listen();
  const { id: accountId } = await world.adminService.createAccount("studio");
  if (rubles > 0) await world.adminService.credit(accountId, asKopecks(rubles * 100), null);
  const { key } = await world.adminService.createKey(accountId, null);

  /** Sends a request below `/v1` and judges its answer by the reference. */
  async function send(path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(`${url}/v1${path}`, init);
    const body = (await response.json()) as Record<string, unknown>;
    const answer = { status: response.status, headers: response.headers, body };
    judgeAnswer(init.method ?? "GET", path, answer);
    return answer;
  }

  const authorization = `Bearer ${key}`;
  return {
    ...world,
    server,
    url,
    accountId,
    key,
    lines,
    async close() {
      await server.close();
      await world.close();
    },
    send,
    get: (path: string, headers: Record<string, string> = { authorization }) => send(path, { headers }),
    /** Sends a body: a text as it is, anything else as JSON. */
    post: (body: unknown, headers: Record<string, string> = { authorization }) =>
      send("/generations", {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    /** The balance in kopecks, and how often it was charged. */
    money() {
      const charges = world.adminService.entries(accountId).filter(({ kind }) => kind === "charge");
      return { balance: world.adminService.account(accountId).balance, charges };
    },
  };
}

export type TestApi = Awaited<ReturnType<typeof openApi>>;

/** The same for one test, closed with it. */
export async function startApi(options: ApiOptions = {}): Promise<TestApi> {
  const api = await openApi(options);
  onTestFinished(api.close);
  return api;
}
