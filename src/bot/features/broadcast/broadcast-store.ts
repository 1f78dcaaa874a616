import type { Database } from "../../../database/database.js";
import type { Transaction } from "../../../database/transaction.js";
import type { Clock } from "../../../platform/clock.js";
import { type Integer, integer } from "../../../platform/integer.js";
import { audienceSchema, type BroadcastAudience, EVERYBODY } from "./audience.js";
import * as table from "./broadcast-table.js";

export interface Broadcast extends Omit<table.BroadcastRow, "audience"> {
  audience: BroadcastAudience;
}

export type SendOutcomeKind = Exclude<table.RecipientState, "claimed">;

/** Writes what belongs to a move, in its transaction. */
type WithMove = (tx: Transaction, at: Integer) => void;

/** Stores broadcasts and to whom they were sent. A person is claimed before anything is sent, and once. */
export class Broadcasts {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Begins to compose. A message that is handled again after a crash has one broadcast. */
  async compose(adminId: number, messageId: number): Promise<Broadcast> {
    const message = { admin_id: adminId, message_id: messageId };
    const row = await this.#database.write("broadcast", (tx) => {
      const audience = JSON.stringify(EVERYBODY);
      const made = tx.first(table.insertBroadcast, { ...message, audience, created_at: this.#clock.now() });
      return made ?? tx.first(table.broadcastOfMessage, message);
    });
    if (!row) throw new Error("the insert of a broadcast returned no row");
    return broadcastOf(row);
  }

  find(id: number): Broadcast | undefined {
    const row = this.#database.first(table.broadcastById, { id });
    return row && broadcastOf(row);
  }

  running(): Broadcast | undefined {
    const row = this.#database.first(table.runningBroadcast, {});
    return row && broadcastOf(row);
  }

  async setScreen(id: number, screenId: number): Promise<void> {
    await this.#database.write("broadcast", (tx) => tx.run(table.setScreen, { id, screen_id: screenId }));
  }

  /** Compares and sets: false when the revision is no longer the given one, or it was confirmed. */
  setAudience({ id, revision }: Broadcast, audience: BroadcastAudience): Promise<boolean> {
    const change = { id, revision, audience: JSON.stringify(audience) };
    return this.#database.write("broadcast", (tx) => tx.run(table.setAudience, change) === 1);
  }

  /** Compares and sets, so that a double tap starts one. */
  start({ id, revision }: Broadcast, total: number, onStart: WithMove): Promise<boolean> {
    const at = this.#clock.now();
    return this.#database.write("broadcast", (tx) => {
      const isStarted = tx.run(table.startBroadcast, { id, revision, total, at }) === 1;
      if (isStarted) onStart(tx, at);
      return isStarted;
    });
  }

  /** Compares and sets. */
  move(
    id: number,
    from: table.BroadcastState,
    to: table.BroadcastState,
    onMove: WithMove = () => {},
  ): Promise<boolean> {
    const at = this.#clock.now();
    return this.#database.write("broadcast", (tx) => {
      const isMoved = tx.run(table.moveBroadcast, { id, from, to }) === 1;
      if (isMoved) onMove(tx, at);
      return isMoved;
    });
  }

  async end(id: number): Promise<void> {
    await this.#database.write("broadcast", (tx) =>
      tx.run(table.endBroadcast, { id, at: this.#clock.now() }),
    );
  }

  /** Commits that a person gets the message, before it is sent. False when the person was claimed before. */
  claim(id: number, userId: number): Promise<boolean> {
    return this.#database.write("broadcast-claim", (tx) => {
      tx.run(table.setLastUser, { id, last_user_id: userId });
      return tx.run(table.insertRecipient, { broadcast_id: id, user_id: userId }) === 1;
    });
  }

  async settle(id: number, userId: number, outcome: SendOutcomeKind): Promise<void> {
    await this.#database.write("broadcast-sent", (tx) => {
      const recipient = { broadcast_id: id, user_id: userId, state: outcome };
      if (tx.run(table.settleRecipient, recipient) === 1) tx.run(table.countOutcome[outcome], { id });
    });
  }

  /** Gives a person back whom Telegram surely sent nothing, and stores the pause that it asks for. */
  async putOff(id: number, userId: number, pauseMs: number): Promise<void> {
    await this.#database.write("broadcast-wait", (tx) => {
      tx.run(table.deleteClaim, { broadcast_id: id, user_id: userId });
      tx.run(table.setLastUser, { id, last_user_id: userId - 1 });
      tx.run(table.setWaitsUntil, { id, waits_until: integer(this.#clock.now() + pauseMs) });
    });
  }
}

function broadcastOf(row: table.BroadcastRow): Broadcast {
  return { ...row, audience: audienceSchema.parse(JSON.parse(row.audience)) };
}
