import { z } from "zod";
import { Unavailable } from "../contract/errors.js";
import type { Clock } from "../platform/clock.js";
import { reasonOf } from "../platform/errors.js";
import { exchange } from "../platform/http-exchange.js";
import type { Logger } from "../platform/logger.js";
import { counter, type Metric } from "../platform/metric.js";
import type { OutgoingAgent } from "../platform/outgoing-agent.js";
import { MEGABYTE, SECOND_MS } from "../platform/units.js";
import type { ModeratedPlace, Moderation } from "./moderation.js";
import type { RulePlace, WordList } from "./word-list.js";

const DEADLINE_MS = 5 * SECOND_MS;

const CATEGORIES_MAX = 20;
const result = z.object({ flagged: z.boolean(), categories: z.record(z.string(), z.unknown()).catch({}) });
const answer = z.object({ results: z.array(result).min(1) });

/** Returns the categories by which texts are flagged; undefined where none is. Throws where there is no answer. */
export type FlagsOf = (texts: readonly string[]) => Promise<readonly string[] | undefined>;

/**
 * Asks the moderation endpoint of an OpenAI-compatible service, for five seconds at most.
 * @param apiRoot the base of the service with its version, such as `https://api.openai.com/v1`
 */
export function flaggedBy(
  apiRoot: string,
  key: string | undefined,
  model: string,
  dispatcher: OutgoingAgent,
  clock: Clock,
): FlagsOf {
  return async (texts) => {
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
    const flagged = answer.parse(JSON.parse(text)).results.filter((one) => one.flagged);
    const names = flagged.flatMap(({ categories: of }) =>
      Object.keys(of).filter((name) => of[name] === true),
    );
    return flagged.length === 0 ? undefined : names.slice(0, CATEGORIES_MAX);
  };
}

const PLACES = ["chat", "submit"] as const satisfies readonly ModeratedPlace[];
const JUDGES = ["list", "endpoint"] as const;

/** Judges by the operator's list, then by an endpoint. Logs which rule refused, and never the text. */
export class TextModeration implements Moderation {
  #list: WordList;
  readonly #refused = new Map<string, number>();
  #unanswered = 0;

  /**
   * @param readList reads the list, at once and at each reload; throws for a wrong rule
   * @param isOpenWhenDown whether texts pass at a submit while the endpoint does not answer
   * @param flagsOf asks an endpoint; absent: the list alone decides
   */
  constructor(
    private readonly readList: () => WordList,
    private readonly isOpenWhenDown: boolean,
    private readonly logger: Logger,
    private readonly flagsOf?: FlagsOf,
  ) {
    this.#list = readList();
  }

  /** Reads the list anew and logs the outcome. Returns why the one of before stays; null for a good one. */
  reload(): string | null {
    const { logger } = this;
    try {
      this.#list = this.readList();
      logger.info("rules for words read anew");
      return null;
    } catch (error) {
      const problem = reasonOf(error);
      logger.error({ problem }, "rules for words not read anew: those of before stay");
      return problem;
    }
  }

  async allows(texts: readonly string[], place: ModeratedPlace): Promise<boolean> {
    const list = this.#list;
    const given = texts.filter((text) => text.trim() !== "");
    if (given.length === 0) return true;
    let rule: RulePlace | undefined;
    for (const text of given) rule ??= await list.refusing(text);
    const categories = rule ? undefined : await this.#flagsOf(given, place);
    if (!rule && !categories) return true;
    const by = rule ? "list" : "endpoint";
    const key = `${place} ${by}`;
    this.#refused.set(key, (this.#refused.get(key) ?? 0) + 1);
    const why = rule ? { file: rule.file, line: rule.line } : { categories };
    this.logger.info({ place, by, ...why }, "text refused");
    return false;
  }

  metrics(): Metric[] {
    return [
      counter(
        "atelier_content_refused_total",
        "Texts that were refused before paying, by place and judge, since the process began.",
        PLACES.flatMap((place) =>
          JUDGES.map((by) => ({
            labels: { place, by },
            value: this.#refused.get(`${place} ${by}`) ?? 0,
          })),
        ),
      ),
      counter(
        "atelier_moderation_unanswered_total",
        "Texts that the moderation endpoint gave no answer about, since the process began.",
        this.#unanswered,
      ),
    ];
  }

  async #flagsOf(texts: readonly string[], place: ModeratedPlace): ReturnType<FlagsOf> {
    const { flagsOf, isOpenWhenDown, logger } = this;
    try {
      return await flagsOf?.(texts);
    } catch (error) {
      this.#unanswered += 1;
      logger.warn({ err: error, place }, "the moderation endpoint gave no answer");
      // In the chat nothing is paid yet: the submit decides.
      if (isOpenWhenDown || place === "chat") return undefined;
      throw new Unavailable("moderation", { cause: error });
    }
  }
}
