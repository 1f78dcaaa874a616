import { join } from "node:path";
import { GrammyError, HttpError } from "grammy";
import { type Draft, Drafts, type NewDraft } from "../../src/bot/card/draft-store.js";
import type { Parameters } from "../../src/bot/card/form/fields.js";
import { AcceptedSpool } from "../../src/bot/orders/accepted-spool.js";
import { OrderStore } from "../../src/bot/orders/order-store.js";
import { asKopecks } from "../../src/contract/price.js";
import type { GenerationRequest } from "../../src/contract/request.js";
import { Database } from "../../src/database/database.js";
import { type FailPoint, noFailPoint } from "../../src/platform/fail-point.js";
import { ExchangeError } from "../../src/platform/http-exchange.js";
import { withTables } from "./empty-database.js";
import { createManualClock, type ManualClock } from "./manual-clock.js";
import { newFolder } from "./new-folder.js";

/** What a person in the private chat composes: a picture of a fox. */
export const NEW_DRAFT: NewDraft = {
  userId: 7,
  chatId: 7,
  threadId: null,
  view: { kind: "card" },
  type: "image",
  modelKey: "nano-banana-2",
  parameters: { prompt: "a fox" },
  promptMessageId: null,
  takenMessageId: null,
  pictureMessages: {},
  chosen: [],
};

const FOX = { type: "image", model_key: "nano-banana-2", prompt: "a fox" } as const;

/** What somebody confirms of a draft, for 10 rubles. */
export function wishFor(draft: Draft, request: GenerationRequest = FOX) {
  return { draft, userName: "Ann", modelTitle: "Nano", request, quotedKopecks: asKopecks(1000) };
}

/** The bot's stores on a real database, with a clock that stands still. */
export type BotWorld = ReturnType<typeof botWorldOn>;

export function openBotWorld(failPoint: FailPoint = noFailPoint): BotWorld {
  const directory = newFolder();
  const file = withTables(join(directory, "a.db"));
  return botWorldOn(Database.open({ file, failPoint, role: "service" }), createManualClock(), directory);
}

/** A world whose disk takes no write of this name while it is full. */
export function openFullDisk(write = "", isFull = true) {
  const disk = { isFull, refused: 0 };
  const world = openBotWorld((point) => {
    if (!disk.isFull || !point.startsWith("commit:before") || !point.includes(write)) return;
    disk.refused += 1;
    throw new Error("database or disk is full");
  });
  return { disk, world };
}

/** The bot's stores on the database of others. */
export function botWorldOn(database: Database, clock: ManualClock, directory: string) {
  const drafts = new Drafts(database, clock);
  const orders = new OrderStore(database, drafts, clock);
  let nextJob = 0;
  /** An order of such a draft that is claimed and not yet submitted. Its card is the message `cardId`. */
  const claimedOrder = async (
    orderId: string,
    change: Partial<NewDraft> = {},
    cardId?: number,
    request: GenerationRequest = FOX,
  ) => {
    const { draft } = await drafts.open({ ...NEW_DRAFT, ...change });
    if (cardId !== undefined) await drafts.setMessage(draft, cardId);
    const order = await orders.claim({ ...wishFor(draft, request), orderId });
    if (!order) throw new Error("not claimed");
    return order;
  };
  /** An order of this person in the private chat, with its delivery written. */
  const finishedOrder = async (
    id: string,
    userId = 7,
    given?: readonly number[],
    request: GenerationRequest = FOX,
  ) => {
    nextJob += 1;
    const jobIds = given ?? [nextJob];
    const { type, model_key: modelKey, ...words } = request;
    const parameters = request === FOX ? { resolution: "1K", ...words } : words;
    const order = await claimedOrder(
      id,
      { userId, chatId: userId, type, modelKey, parameters: parameters as Parameters },
      undefined,
      request,
    );
    const accepted = await orders.accept(order, jobIds);
    if (!accepted) throw new Error("not accepted");
    await orders.finishJobs(accepted);
    return accepted;
  };
  return {
    database,
    clock,
    directory,
    drafts,
    orders,
    spool: new AcceptedSpool(join(directory, "accepted-orders.spool")),
    claimedOrder,
    finishedOrder,
    /** The same, with its pictures in the messages from 50 on. */
    async sentOrder(id: string, userId = 7, jobIds: readonly number[] = [1], chatId = userId) {
      const order = await finishedOrder(id, userId, jobIds);
      const files = jobIds.map((_job, index) => ({
        index,
        track: 0,
        messageId: 50 + index,
        fileId: `photo-${index}`,
        as: "photo" as const,
      }));
      await orders.saveFiles(id, files, chatId);
      return order;
    },
  };
}

/** An answer of Telegram that refuses a call. */
export function refusal(code: number, description: string, parameters: object = {}): GrammyError {
  return new GrammyError(
    "call failed",
    { ok: false, error_code: code, description, parameters },
    "sendPhoto",
    {},
  );
}

/** A connection that Telegram did not take: nothing was sent. */
export function refusedConnection(): HttpError {
  return new HttpError("network", new ExchangeError(false, new Error("connect ECONNREFUSED")));
}

/** A connection that broke: what was sent on it may have arrived. */
export function brokenConnection(): HttpError {
  return new HttpError("network", new Error("socket hang up"));
}
