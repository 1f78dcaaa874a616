import { onTestFinished } from "vitest";
import { ApiClient } from "../../src/client/api-client.js";
import { Remote, type RemoteOptions } from "../../src/client/remote.js";
import { createRemoteService } from "../../src/client/remote-service.js";
import type { GenerationRequest } from "../../src/contract/request.js";
import { systemClock } from "../../src/platform/clock.js";
import { openAgent } from "../../src/platform/outgoing-agent.js";
import { NOT_CONNECTED } from "../../src/ports/gateway.js";
import { NoticeQueue, type OperatorNotice } from "../../src/ports/operator-notices.js";
import { eventually } from "../support/eventually.js";
import { type Behaviour, startFaultyService } from "../support/faulty-service.js";
import { recordingLogger } from "../support/log.js";
import { createManualClock } from "../support/manual-clock.js";
import { openDatabase } from "../support/test-database.js";
import { noticesTo } from "../support/told-notices.js";

export const KEY = "foreign-key-0123456789";
export const REQUEST: GenerationRequest = { type: "image", model_key: "fox-1", prompt: "a red fox" };
/** A model that the service sells. */
export const MODEL = {
  type: "image",
  model_key: "fox-1",
  title: "Fox",
  price_rub: 10,
  defaults: {},
  parameters: { prompt: { type: "string", required: true } },
};
export const NO_REFERENCES: Parameters<typeof createRemoteService>[0]["references"] = {
  files: async () => ({ outcome: "forged" }),
  publish: async () => "https://a.example/1",
  start: async () => {},
  stop: async () => {},
};
export const ORDER = "order-0123456789";

/** A client of the service at `url`, on a clock that stands still; closed with the test. */
export function openClient(url: string, options: Partial<RemoteOptions> = {}) {
  const clock = createManualClock();
  const { logger, lines } = recordingLogger("debug");
  const told: OperatorNotice[] = [];
  const remote = new Remote({
    baseUrl: url,
    notices: noticesTo(told),
    clock,
    logger,
    proxy: {},
    open: openAgent,
    ...options,
  });
  onTestFinished(() => remote.close());

  /** Lines of calls that wait for their repetition. */
  const repeated = () =>
    lines.filter(({ msg }) => typeof msg === "string" && msg.includes("repeated")).length;
  return {
    remote,
    client: new ApiClient(remote, () => KEY),
    told,
    clock,
    lines,
    repeated,
    /** Waits until a call waits for its nth repetition, then lets it pass. */
    async passRepetition(nth: number, waitMs = 60_000) {
      await eventually(`the ${nth}. repetition waits`, () => repeated() >= nth);
      await clock.advance(waitMs);
    },
  };
}

/** The client of a service that answers like this. */
export async function openService(behave?: Behaviour, retentionSec?: number) {
  const service = await startFaultyService(behave);
  service.retentionSec = retentionSec;
  return { service, ...openClient(service.url) };
}

/** A service with an account of KEY, and the front-end of those who share it. */
export async function openShared(
  parts: Partial<Pick<Parameters<typeof createRemoteService>[0], "clock" | "open" | "moderation">> = {},
) {
  const service = await startFaultyService();
  const world = { models: [MODEL] as object[], onPost: undefined as Behaviour | undefined };
  service.behave = (response, request, body) => {
    if (request.url?.endsWith("/models"))
      return service.answer(response, 200, { ok: true, models: world.models });
    if (request.method === "POST" && world.onPost) return world.onPost(response, request, body);
    service.serve(response, request, body);
  };
  const { logger, lines } = recordingLogger("debug");
  const common = { database: openDatabase(), notices: new NoticeQueue(), clock: systemClock, logger };
  const connect = async (apiKey = KEY) => {
    const remote = createRemoteService({
      ...common,
      baseUrl: service.url,
      apiKey,
      references: NO_REFERENCES,
      pollIntervalMs: 100,
      ...parts,
    });
    onTestFinished(() => remote.stop());
    const gateway = await remote.gateways.of({ id: 7, name: "Ann" });
    if (gateway === NOT_CONNECTED) throw new Error("not connected");
    return { remote, gateway };
  };
  return { service, world, lines, connect };
}

/** What a submission ends with: its first job, or the name of its error. */
export function endOf(submission: Promise<{ job_id: unknown }>): Promise<unknown> {
  return submission.then(
    ({ job_id }) => job_id,
    (error: Error) => error.name,
  );
}

/** The error of a call, with the messages of its causes. */
export async function failureOf(work: Promise<unknown>): Promise<{ error: unknown; text: string }> {
  const error: unknown = await work.then(
    () => {
      throw new Error("it did not fail");
    },
    (reason: unknown) => reason,
  );
  const texts: string[] = [];
  for (let link = error; link instanceof Error; link = link.cause)
    texts.push(link.message, String(link.stack));
  return { error, text: texts.join("\n") };
}
