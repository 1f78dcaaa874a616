import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import type { Dispatcher } from "undici";
import type { Database } from "../../src/database/database.js";
import { ExchangeError, type ExchangeOptions, type HttpAnswer } from "../../src/platform/http-exchange.js";
import type { OutgoingAgent } from "../../src/platform/outgoing-agent.js";
import type { Rules } from "./rules.js";
import type { SimAgent } from "./sim-agent.js";
import type { Way } from "./way.js";

/** A fault that the simulation has to notice. */
export interface Planted {
  /** Where it stands; by default in the whole service. */
  way?: Way;
  /** Themes whose worlds are tried first; by default those of its path. */
  themes?: readonly string[];
  /** The path that it stands in. */
  path?: string;
  /** A write that is answered as done, and undone. */
  omitted?: string;
  /** Statements that follow a write, beside the service, with semicolons between them. */
  after?: { label: string; sql: string };
  /** A POST to the service that is sent twice. */
  isPostRepeated?: true;
  /** POSTs to a service elsewhere leave without their keys. */
  isKeyForgotten?: true;
  /** POSTs to the shop leave with a key of their own each. */
  isShopKeyChanged?: true;
  /** A POST without an answer counts as one that never left. */
  isDoubtUnread?: true;
  /** A refusal by a service elsewhere is read as an answer that tells nothing. */
  isRefusalUnread?: true;
  /** A call of the Bot API that is answered as done, and not done. */
  dropped?: string;
  /** The last file of an album is answered as sent, and not sent. */
  isAlbumCut?: true;
  /** Taps in a group count as those of the card's owner. */
  isTapForged?: true;
  /** Keys of connected accounts are stored in the clear. */
  isKeyBare?: true;
  /** Connected accounts are forgotten while their orders are open. */
  areOrdersUncounted?: true;
  /** A restore leaves no trace in the restored database. */
  isRestoreForgotten?: true;
  /** Files are sent twice. */
  isSentTwice?: true;
  /** Files go to the next chat. */
  isMisdelivered?: true;
  /** What the operator has set, and the service does not read. */
  forgets?: keyof Rules;
  /** Called each time that the fault takes hold. */
  onTaken?: () => void;
}

/** Writes the newest of these entries again, with what it says in these columns beside sum and actor. */
export function entryAgain(which: string, ...columns: readonly string[]): string {
  const more = columns.map((column) => `, ${column}`).join("");
  return `
    INSERT INTO ledger_entry (account_id, kind, amount, balance_after, actor, created_at${more})
    SELECT entry.account_id, kind, amount, balance + amount, actor, entry.created_at${more}
    FROM ledger_entry AS entry JOIN account ON account.id = entry.account_id
    WHERE ${which} ORDER BY entry.id DESC LIMIT 1`;
}

const REFUND_AGAIN = entryAgain("kind = 'refund'", "job_id");

const LOSE_ORDER = `DELETE FROM order_job; DELETE FROM "order" WHERE state = 'accepted'`;
const LOSE_JOBS = `UPDATE "order" SET job_ids = '[]' WHERE state = 'accepted'; DELETE FROM order_job`;

const CREDIT_AGAIN = entryAgain("kind = 'credit' AND actor = 'till:stars'");

export const PLANTED: Readonly<Record<string, Planted>> = {
  "an update that is confirmed and not kept": { omitted: "inbox", themes: ["shop and crashes"] },
  "an order that is not written": { omitted: "job:accept" },
  "an order that is charged and lost": { after: { label: "job:accept", sql: LOSE_ORDER } },
  "an order that loses its jobs": { after: { label: "job:accept", sql: LOSE_JOBS } },
  "an order that is never finished": { omitted: "order-finish" },
  "a result that is not written": { omitted: "job:done" },
  "a failure without its refund": { omitted: "job:error" },
  "a task that the service took and nobody remembers": { omitted: "attempt:accepted" },
  "a delivery that is not remembered": { omitted: "delivery-end" },
  "a refund that was made twice": { after: { label: "job:error", sql: REFUND_AGAIN } },
  "a payment that is answered as taken and not written": { omitted: "till:payment", themes: ["top-ups"] },
  "a payment that is credited twice": {
    after: { label: "till:payment", sql: CREDIT_AGAIN },
    themes: ["top-ups"],
  },
  "a POST that is repeated": { isPostRepeated: true },
  "a tap without an answer": { dropped: "answerCallbackQuery" },
  "a picture that is not sent": { dropped: "sendPhoto" },
  "a file for somebody else": { isMisdelivered: true },
  "a file that is sent twice": { isSentTwice: true, themes: ["two services"] },
  "a key that the API forgets": {
    after: { label: "job:accept", sql: "DELETE FROM idempotency_key" },
    themes: ["services"],
  },
  "a POST elsewhere that is repeated": { way: "front_end", isPostRepeated: true },
  "a POST elsewhere that leaves without its key": { way: "front_end", isKeyForgotten: true },
  "a POST elsewhere that is not noted before": {
    way: "front_end",
    omitted: "remote:sending",
  },
  "a refusal elsewhere that is taken for a doubt": { way: "front_end", isRefusalUnread: true },
  "a claim elsewhere that is not written": { way: "front_end", omitted: "order-claim" },
  "an acceptance elsewhere that is lost": { way: "front_end", omitted: "order-accept" },
  "a doubt that nobody is told of": { way: "front_end", omitted: "uncertain-person-told" },
  "an order of a front-end that is never finished": { way: "front_end", omitted: "order-finish" },
  "a file of a front-end for somebody else": { way: "front_end", isMisdelivered: true },
};

class Undone extends Error {
  override readonly name = "Undone";
  constructor(readonly result: unknown) {
    super("undone");
  }
}

/** Replaces the writes of a database. */
export function plantInWrites(database: Database, directory: string, planted: Planted): void {
  const { omitted, after, onTaken } = planted;
  const write = database.write.bind(database);
  database.write = async <T>(label: string, work: Parameters<typeof write<T>>[1]): Promise<T> => {
    if (label === omitted)
      return write<T>(label, (tx) => {
        throw new Undone(work(tx));
      }).catch((error: unknown) => {
        if (!(error instanceof Undone)) throw error;
        onTaken?.();
        return error.result as T;
      });
    const result = await write(label, work);
    if (label === after?.label && runBeside(directory, after.sql) > 0) onTaken?.();
    return result;
  };
}

/** Returns how many rows were changed. */
function runBeside(directory: string, sql: string): number {
  const file = new BetterSqlite3(join(directory, "atelier.db"));
  try {
    return sql.split(";").reduce((sum, statement) => sum + file.prepare(statement).run().changes, 0);
  } finally {
    file.close();
  }
}

export function plantInRules(rules: Rules, { forgets, onTaken }: Planted): Rules {
  if (forgets === undefined) return rules;
  onTaken?.();
  const { [forgets]: _forgotten, ...kept } = rules;
  return kept;
}

type Exchange = (options: ExchangeOptions) => Promise<HttpAnswer>;

export function plantInExchange(
  exchange: Exchange,
  { isPostRepeated, isDoubtUnread, onTaken }: Planted,
): Exchange {
  if (isDoubtUnread)
    return (options) =>
      exchange(options).catch((error: unknown) => {
        if (options.method !== "POST" || !(error instanceof ExchangeError)) throw error;
        if (error.isSent) onTaken?.();
        throw new ExchangeError(false, error.cause);
      });
  if (!isPostRepeated) return exchange;
  return async (options) => {
    const answer = await exchange(options);
    if (options.method !== "POST" || answer.status !== 200) return answer;
    onTaken?.();
    return exchange(options);
  };
}

/** Replaces the calls of the shop. */
export function plantInShop(exchange: Exchange, { isShopKeyChanged, onTaken }: Planted): Exchange {
  if (!isShopKeyChanged) return exchange;
  let posts = 0;
  return (options) => {
    const key = options.headers["idempotence-key"];
    if (key === undefined) return exchange(options);
    posts += 1;
    onTaken?.();
    return exchange({
      ...options,
      headers: { ...options.headers, "idempotence-key": `${key.slice(1)}${posts}` },
    });
  };
}

/** Replaces the connections to a service elsewhere. */
export function plantInAgent(agent: SimAgent, planted: Planted): OutgoingAgent {
  const { isPostRepeated, isKeyForgotten, isRefusalUnread, onTaken } = planted;
  const dispatch = agent.dispatch.bind(agent);
  agent.dispatch = (options, handler) => {
    if (options.method !== "POST") return dispatch(options, handler);
    if (isPostRepeated) dispatch(options, {});
    const { "idempotency-key": key, ...headers } = options.headers as Record<string, string>;
    if (isPostRepeated || (isKeyForgotten && key !== undefined)) onTaken?.();
    return dispatch(
      isKeyForgotten ? { ...options, headers } : options,
      isRefusalUnread ? unread(handler, onTaken) : handler,
    );
  };
  return agent;
}

function unread(handler: Dispatcher.DispatchHandler, onTaken = () => {}): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
    onResponseStart(controller, status, headers) {
      if (status >= 400) onTaken();
      handler.onResponseStart?.(controller, status >= 400 ? 500 : status, headers);
    },
    onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
    onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
    onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
  };
}
