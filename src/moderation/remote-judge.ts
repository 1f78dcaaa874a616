import { z } from "zod";
import type { Clock } from "../platform/clock.js";
import { exchange } from "../platform/http-exchange.js";
import type { OutgoingAgent } from "../platform/outgoing-agent.js";
import { MEGABYTE, SECOND_MS } from "../platform/units.js";

const DEADLINE_MS = 5 * SECOND_MS;

const answer = z.object({ results: z.array(z.object({ flagged: z.boolean() })).min(1) });

export interface RemoteJudgeOptions {
  /** The base of the service with its version, such as `https://api.openai.com/v1`. */
  apiRoot: string;
  key: string | undefined;
  model: string;
  dispatcher: OutgoingAgent;
  clock: Clock;
}

/** Asks the moderation endpoint of an OpenAI-compatible service. */
export class RemoteJudge {
  readonly #options: RemoteJudgeOptions;

  constructor(options: RemoteJudgeOptions) {
    this.#options = options;
  }

  /** Tells whether one of the texts is flagged. Throws where there is no answer within five seconds. */
  async isFlagged(texts: readonly string[]): Promise<boolean> {
    const { apiRoot, key, model, dispatcher, clock } = this.#options;
    const { status, text, fault } = await exchange({
      dispatcher,
      clock,
      method: "POST",
      url: new URL(`${apiRoot}/moderations`),
      headers: {
        "content-type": "application/json",
        accept: "application/json",
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ model, input: texts }),
      timeoutMs: DEADLINE_MS,
      bodyBytesMax: MEGABYTE,
    });
    if (fault) throw fault;
    if (status !== 200) throw new Error(`the moderation endpoint answers ${status}`);
    return answer.parse(JSON.parse(text)).results.some(({ flagged }) => flagged);
  }
}
