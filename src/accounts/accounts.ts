import { asKopecks, type Kopecks } from "../contract/price.js";
import type { Reads, Transaction } from "../database/database.js";
import type { Ground } from "../database/ground.js";
import { table } from "../database/table.js";
import { integer } from "../platform/integer.js";
import {
  accountIdOf,
  type Ban,
  banAt,
  bans,
  type Identity,
  insertNewAccount,
  type NewNote,
  NoSuchAccountError,
  type User,
  writeNote,
} from "./account-store.js";
import { recordAct } from "./audit-log.js";
import {
  balanceOf,
  type Correction,
  type CorrectionOutcome,
  correctBalance,
  entryByKey,
  type MadeCorrection,
} from "./ledger-store.js";
import { offeredWelcome, takeOfferedWelcome, type WelcomeTerms, welcome } from "./welcome-credit.js";

/** Separates the keys of callers from the service's own (`welcome:`, `charge:`, `refund:`). */
const CORRECTION = "correction:";

const identities = table("identity");

interface NewBan {
  userId: number;
  reason: string | null;
  /** Milliseconds since the epoch; null: until an admin lifts it. */
  until: number | null;
  actor: string;
}

/** Accounts of users: created on first contact, with the welcome credit that may wait for a tap; noted, banned and corrected by admins. */
export class Accounts {
  /**
   * @param identityKind the kind of identity that the users of this front-end have
   * @param welcome credit of each new account; of 0 kopecks there is none
   */
  constructor(
    private readonly ground: Ground,
    private readonly identityKind: string,
    private readonly welcome: WelcomeTerms,
  ) {}

  /** Returns the account of a user, which the first contact creates. */
  async idOf(user: User): Promise<number> {
    const { database } = this.ground;
    return (
      this.find(user.id) ?? (await database.write("account:first-contact", (tx) => this.#make(tx, user)))
    );
  }

  /** Returns the user of an account; undefined for one that only the API knows. */
  userOf(accountId: number): number | undefined {
    const { database } = this.ground;
    const user = identities.get(database, { account_id: accountId, kind: this.identityKind });
    return user && Number(user.subject);
  }

  /** Finds the account of a user. Never creates one. */
  find(userId: number, source: Reads = this.ground.database): number | undefined {
    return accountIdOf(source, this.#identityOf(userId));
  }

  /** Returns the account of a user who must have one. Throws NoSuchAccountError. */
  known(userId: number, tx: Transaction): number {
    const accountId = this.find(userId, tx);
    if (accountId === undefined) throw new NoSuchAccountError(`of user ${userId}`);
    return accountId;
  }

  /** Credits a user, who must have an account; `Gateways.of` creates one. */
  credit(correction: Correction): Promise<CorrectionOutcome> {
    return this.#correct("credit", correction);
  }

  debit(correction: Correction): Promise<CorrectionOutcome> {
    return this.#correct("debit", correction);
  }

  async correctionMade(idempotencyKey: string): Promise<MadeCorrection | undefined> {
    const { database } = this.ground;
    const entry = entryByKey(database, CORRECTION + idempotencyKey);
    if (!entry) return undefined;
    const userId = this.userOf(entry.account_id);
    if (userId === undefined) return undefined;
    const balanceKopecks = balanceOf(database, entry.account_id);
    const kopecks = asKopecks(Math.abs(entry.amount));
    return { userId, kopecks, reason: entry.reason, balanceKopecks };
  }

  /** Returns undefined for a user without an account. Never creates one. */
  async balanceOf(userId: number): Promise<Kopecks | undefined> {
    const { database } = this.ground;
    const accountId = this.find(userId);
    return accountId === undefined ? undefined : balanceOf(database, accountId);
  }

  /** Writes a note of an admin about a user, who must have an account. */
  async note(userId: number, note: NewNote): Promise<void> {
    const { database, clock } = this.ground;
    await database.write("account:note", (tx) => writeNote(tx, this.known(userId, tx), note, clock.now()));
  }

  /** Returns the ban of a user that holds now. */
  banOf(userId: number): Ban | undefined {
    const { database, clock } = this.ground;
    const accountId = this.find(userId);
    return accountId === undefined ? undefined : banAt(database, accountId, clock.now());
  }

  /**
   * Bans a user, who must have an account, or changes the ban. `repeated`: the same one holds already. An order is refused in
   * the transaction that would charge it.
   */
  async ban({ userId, reason, until, actor }: NewBan): Promise<"done" | "repeated"> {
    const { database, clock, logger } = this.ground;
    const outcome = await database.write("account:ban", (tx) => {
      const accountId = this.known(userId, tx);
      const at = clock.now();
      const before = banAt(tx, accountId, at);
      if (before && before.reason === reason && before.until_at === until) return "repeated" as const;
      const until_at = until === null ? null : integer(until);
      bans.save(tx, ["account_id"], { account_id: accountId, reason, until_at, banned_at: at });
      const change = { before: before ? { until: before.until_at } : null, after: { until } };
      recordAct(tx, { actor, act: "ban", accountId, ...change, reason, at });
      return "done" as const;
    });
    logger.info({ user_id: userId, until, actor, outcome }, "person banned");
    return outcome;
  }

  /** Lifts the ban of a user. Resolves to false when none holds. */
  async liftBan(userId: number, actor: string): Promise<boolean> {
    const { database, clock, logger } = this.ground;
    const isLifted = await database.write("account:unban", (tx) => {
      const accountId = this.known(userId, tx);
      const at = clock.now();
      const before = banAt(tx, accountId, at);
      if (!before) return false;
      bans.delete(tx, { account_id: accountId });
      const { until_at: until, reason } = before;
      recordAct(tx, { actor, act: "unban", accountId, before: { until }, reason, at });
      return true;
    });
    if (isLifted) logger.info({ user_id: userId, actor }, "ban lifted");
    return isLifted;
  }

  /** Returns the welcome credit that waits for a user: it is credited by a tap, which shows that somebody has a client. */
  offeredWelcome(userId: number): Kopecks | undefined {
    const { database } = this.ground;
    const accountId = this.#findUnbanned(userId, database);
    return accountId === undefined ? undefined : offeredWelcome(database, accountId);
  }

  /** Credits it, once. Undefined where nothing waits for the user: they have it already, or it was never meant for them. */
  async takeWelcome(userId: number) {
    const { database, clock, logger } = this.ground;
    const taken = await database.write("account:welcome", (tx) => {
      const accountId = this.#findUnbanned(userId, tx);
      return accountId === undefined ? undefined : takeOfferedWelcome(tx, accountId, clock.now());
    });
    if (taken) logger.info({ user_id: userId, kopecks: taken.kopecks }, "welcome credit taken");
    return taken;
  }

  #findUnbanned(userId: number, source: Reads): number | undefined {
    const accountId = this.find(userId, source);
    const isBanned = accountId !== undefined && banAt(source, accountId, this.ground.clock.now());
    return isBanned ? undefined : accountId;
  }

  async #correct(kind: "credit" | "debit", correction: Correction): Promise<CorrectionOutcome> {
    const { database, clock, logger } = this.ground;
    const { userId, kopecks, reason, actor } = correction;
    const idempotencyKey = CORRECTION + correction.idempotencyKey;
    const { accountId, result } = await database.write(`account:${kind}`, (tx) => {
      const id = this.known(userId, tx);
      const terms = { kind, kopecks, reason, actor, idempotencyKey, at: clock.now() };
      return { accountId: id, result: correctBalance(tx, id, terms) };
    });
    logger.info(
      { account_id: accountId, kind, kopecks, actor, outcome: result.outcome },
      "balance correction",
    );
    return result;
  }

  #make(tx: Transaction, user: User): number {
    const existing = this.find(user.id, tx);
    if (existing !== undefined) return existing;
    const at = this.ground.clock.now();
    const id = insertNewAccount(tx, { name: user.name, createdAt: at });
    identities.insert(tx, { ...this.#identityOf(user.id), account_id: id });
    welcome(tx, id, user, this.welcome, at);
    return id;
  }

  #identityOf(userId: number): Identity {
    return { kind: this.identityKind, subject: String(userId) };
  }
}
