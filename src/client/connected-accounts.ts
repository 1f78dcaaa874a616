import type { Generated, Selectable } from "kysely";
import type { User } from "../accounts/account-store.js";
import { ContractError, Unavailable } from "../contract/errors.js";
import type { JobId } from "../contract/job.js";
import type { Model } from "../contract/model.js";
import type { Database } from "../database/database.js";
import { table } from "../database/table.js";
import { Ages } from "../platform/ages.js";
import { BoundedMap } from "../platform/bounded-map.js";
import type { CancelTimer, Clock } from "../platform/clock.js";
import { reasonOf, StartError } from "../platform/errors.js";
import type { Integer } from "../platform/integer.js";
import type { Logger } from "../platform/logger.js";
import { repeat } from "../platform/retry.js";
import { type TextCipher, UnsealError } from "../platform/text-cipher.js";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../platform/units.js";
import { type Gateway, type Gateways, NOT_CONNECTED, type NotConnected } from "../ports/gateway.js";
import type {
  Connections,
  ConnectOutcome,
  DisconnectOutcome,
  EarlierOrders,
  RefusedKey,
} from "../service/accounts.js";
import { ApiClient, health, isKeyRefused } from "./api-client.js";
import { type RemoteCore, RemoteGateway } from "./remote-gateway.js";
import type { RemoteAccounts } from "./remote-jobs.js";

interface ConnectedAccountTable {
  id: Generated<number>;
  user_id: number;
  /** The encrypted key; another one for each key of the account. */
  sealed_key: string;
  /** 0: kept for open orders only. */
  is_current: 0 | 1;
  /** Milliseconds since the epoch at which the service began to refuse the key. */
  refused_at: Integer | null;
  is_told: Generated<0 | 1>;
}
export type ConnectedAccount = Selectable<ConnectedAccountTable>;

declare module "../database/prepared.js" {
  interface Schema {
    connected_account: ConnectedAccountTable;
  }
}

const connected = table("connected_account", ["is_current"]);

/** Connected accounts with their keys, which are encrypted. A person has at most one current account. */
export class AccountStore {
  readonly #cipher: TextCipher;

  constructor(
    private readonly database: Database,
    cipher: TextCipher,
  ) {
    this.#cipher = cipher;
  }

  find(id: number): ConnectedAccount | undefined {
    return connected.get(this.database, { id });
  }

  current(userId: number): ConnectedAccount | undefined {
    return connected.get(this.database, { user_id: userId, is_current: 1 });
  }

  /** Lists the newest first, those included that are kept for open orders. */
  ofUser(userId: number): ConnectedAccount[] {
    return connected.all(this.database, { user_id: userId }, { orderBy: ["id desc"] });
  }

  kept(): ConnectedAccount[] {
    return connected.all(this.database, { is_current: 0 });
  }

  untold(): ConnectedAccount[] {
    return connected.all(this.database, { is_told: 0 }).filter(({ refused_at }) => refused_at !== null);
  }

  /** Opens the key. Throws Unavailable `account` when it is gone, and UnsealError. */
  keyOf(id: number): string {
    const row = this.find(id);
    if (!row) throw new Unavailable("account");
    return this.#cipher.open(row.sealed_key, nameOf(row.user_id));
  }

  /** Adds an account, which becomes the person's current one. */
  add(userId: number, key: string): Promise<number> {
    const sealed_key = this.#cipher.seal(key, nameOf(userId));
    return this.database.write("account-connect", (tx) => {
      connected.update(tx, { user_id: userId }, { is_current: 0 });
      return connected.insert(tx, { user_id: userId, sealed_key, is_current: 1 });
    });
  }

  /** Stores another key of the same account, which becomes the current one. */
  replaceKey({ id, user_id }: ConnectedAccount, key: string): Promise<void> {
    const sealed_key = this.#cipher.seal(key, nameOf(user_id));
    return this.database.write("account-key", (tx) => {
      connected.update(tx, { user_id }, { is_current: 0 });
      connected.update(tx, { id }, { sealed_key, refused_at: null, is_current: 1 });
    });
  }

  /** Ends the current account. Resolves to false when the person has none. */
  leave(userId: number): Promise<boolean> {
    return this.database.write("account-disconnect", (tx) => {
      const row = connected.get(tx, { user_id: userId, is_current: 1 });
      connected.update(tx, { user_id: userId }, { is_current: 0 });
      return row !== undefined;
    });
  }

  /** Notes a refusal. Resolves to false when it is known, or the account has another key by now. */
  refuse({ id, sealed_key }: ConnectedAccount, at: Integer): Promise<boolean> {
    const known = { id, sealed_key, refused_at: null };
    const change = { refused_at: at, is_told: 0 } as const;
    return this.database.write("account-refused", (tx) => connected.update(tx, known, change) > 0);
  }

  async accept(id: number): Promise<void> {
    await this.database.write("account-accepted", (tx) => connected.update(tx, { id }, { refused_at: null }));
  }

  async setTold(id: number): Promise<void> {
    await this.database.write("account-told", (tx) => connected.update(tx, { id }, { is_told: 1 }));
  }

  async remove(id: number): Promise<void> {
    await this.database.write("account-removed", (tx) => connected.delete(tx, { id }));
  }

  /** Encrypts every key anew that is not stored under the first encryption key. Throws UnsealError. */
  reseal(): Promise<void> {
    return this.database.write("account-reseal", (tx) => {
      for (const { id, user_id, sealed_key } of connected.all(tx, {})) {
        const key = this.#cipher.open(sealed_key, nameOf(user_id));
        if (this.#cipher.isCurrent(sealed_key)) continue;
        connected.update(tx, { id }, { sealed_key: this.#cipher.seal(key, nameOf(user_id)) });
      }
    });
  }
}

function nameOf(userId: number): string {
  return `connected-account:${userId}`;
}

/** Milliseconds after which a refused key is tried again: one refusal is a doubt. */
const CHECKED_AFTER_MS = 10_000;

/** Finds out which keys have stopped working, and which work again. */
class KeyWatch {
  readonly #checks = new Map<number, CancelTimer>();
  readonly #telling = new Set<number>();
  #tell: ((key: RefusedKey) => Promise<void>) | undefined;

  constructor(
    private readonly store: AccountStore,
    private readonly tryKey: (accountId: number) => Promise<unknown>,
    private readonly keys: Pick<OwnKeys, "countOpenOrders">,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  onRefused(tell: (key: RefusedKey) => Promise<void>): void {
    this.#tell = tell;
    this.tellAll();
  }

  stop(): void {
    for (const cancel of this.#checks.values()) cancel();
    this.#tell = undefined;
  }

  /** Notes an answer that refused the key. */
  doubt(accountId: number): void {
    if (this.#checks.has(accountId)) return;
    const cancel = this.clock.after(CHECKED_AFTER_MS, () => void this.#check(accountId));
    this.#checks.set(accountId, cancel);
  }

  tellAll(): void {
    for (const account of this.store.untold()) void this.#tellOf(account);
  }

  async #check(accountId: number): Promise<void> {
    try {
      // Another key may take its place meanwhile.
      const account = this.store.find(accountId);
      if (!account) return;
      const isRefused = await this.tryKey(accountId).then(
        () => false,
        (error: unknown) => {
          if (isKeyRefused(error)) return true;
          throw error;
        },
      );
      if (!isRefused) return await this.store.accept(accountId);
      if (!(await this.store.refuse(account, this.clock.now()))) return;
      this.logger.warn({ account_id: accountId }, "the service refuses the key of a connected account");
      this.tellAll();
    } catch (error) {
      // Without an answer nothing is known: the next refusal begins anew.
      this.logger.info({ account_id: accountId, err: error }, "key of a connected account not checked");
    } finally {
      this.#checks.delete(accountId);
    }
  }

  async #tellOf(account: ConnectedAccount): Promise<void> {
    const { id, user_id: userId } = account;
    const isCurrent = account.is_current === 1;
    if (!this.#tell || this.#telling.has(id)) return;
    this.#telling.add(id);
    try {
      const openOrders = this.keys.countOpenOrders(account);
      // Nobody waits for a key that was kept for orders which have ended.
      if (isCurrent || openOrders > 0) await this.#tell({ userId, isCurrent, openOrders });
      await this.store.setTold(id);
    } catch (error) {
      this.logger.warn({ account_id: id, user_id: userId, err: error }, "person not told of a refused key");
    } finally {
      this.#telling.delete(id);
    }
  }
}

/** Alphabets as the inside of a character class, from the narrowest. */
const ALPHABETS = ["0-9a-f", "0-9A-F", "0-9a-z", "0-9A-Z", "0-9A-Za-z", "\\w-"] as const;
/** The fewest random characters of a key: fewer are a word. */
const RANDOM_MIN = 12;

/**
 * Finds keys like this one in a text: of the same prefix, length and alphabet. The prefix ends at the last underscore,
 * or at the first where the rest may hold others. A key that has no such shape finds itself alone.
 */
export function keysLike(key: string): (text: string) => string | undefined {
  const ends = new Set([key.lastIndexOf("_") + 1, key.indexOf("_") + 1]);
  const patterns = [...ends].map((end) => patternOf(key, end)).filter((pattern) => pattern !== undefined);
  return (text) => {
    const found = patterns.map((pattern) => pattern.exec(text)?.[0]).find((one) => one !== undefined);
    return found ?? (text.includes(key) ? key : undefined);
  };
}

function patternOf(key: string, end: number): RegExp | undefined {
  const random = key.slice(end);
  const alphabet = ALPHABETS.find((letters) => new RegExp(`^[${letters}]+$`).test(random));
  if (random.length < RANDOM_MIN || alphabet === undefined) return undefined;
  const prefix = key.slice(0, end).replace(/[^\w]/g, "\\$&");
  // Without a prefix a word of that length may be a word.
  const hasDigit = /\d/.test(random) ? `(?=[${alphabet}]*\\d)` : "";
  return new RegExp(`(?<![\\w-])${prefix}${hasDigit}[${alphabet}]{${random.length}}(?![\\w-])`);
}

type Find = ReturnType<typeof keysLike>;

const REMEMBERED = 10_000;
/** The refused keys of a person that are remembered by their shape. */
const REFUSED_MAX = 10;

/** Limits of each call that tries a key. A person waits for two of them, together less than 10 s. */
const CHECK = { timeoutMs: 4500, triesMax: 1 };

async function isVisible(job: Promise<unknown>): Promise<boolean> {
  try {
    await job;
    return true;
  } catch (error) {
    if (error instanceof ContractError) return false;
    throw error;
  }
}

/** The pause after one refusal, which is a doubt: the key is tried again within 15 s. */
const DOUBT_PAUSE_MS = 12 * SECOND_MS;
const REFUSED_PAUSE_MS = 10 * MINUTE_MS;
/** Milliseconds without a working key after which an order ends. */
const WAITING_MAX_MS = 30 * DAY_MS;

/** Returns the pause in ms; undefined where the order has waited for long enough. */
export function pauseOfRefused(
  account: Pick<ConnectedAccount, "id" | "refused_at"> | undefined,
  ages: Ages,
): number | undefined {
  if (!account) return REFUSED_PAUSE_MS;
  const { id, refused_at } = account;
  if (refused_at === null) return DOUBT_PAUSE_MS;
  return ages.of(`${id}:${refused_at}`, refused_at) > WAITING_MAX_MS ? undefined : REFUSED_PAUSE_MS;
}

/** The number of gateways kept, each with a list of models. A forgotten one is made again. */
const GATEWAYS_KEPT = 500;
const CATALOGUE_AGE_MAX_MS = DAY_MS;

class ConnectedGateways implements Gateways {
  readonly #open = new BoundedMap<number, { client: ApiClient; gateway: Gateway }>(GATEWAYS_KEPT);
  #catalogue: { models: readonly Model[]; at: number } | undefined;

  constructor(
    private readonly core: RemoteCore,
    private readonly store: AccountStore,
    private readonly watch: KeyWatch,
  ) {}

  async of({ id: userId }: User): Promise<Gateway | NotConnected> {
    const account = this.store.current(userId);
    if (!account) return NOT_CONNECTED;
    if (account.refused_at === null) return this.#openOf(account.id).gateway;
    // The key may work again.
    this.watch.doubt(account.id);
    return NOT_CONNECTED;
  }

  async ofOrder(orderId: string, user: User): Promise<Gateway | NotConnected> {
    const sentWith = this.#accountOfOrder(orderId);
    return sentWith ? this.#openOf(sentWith.id).gateway : this.of(user);
  }

  /** Returns the models that were read last, with the key of anybody. */
  catalogue(): readonly Model[] {
    const known = this.#catalogue;
    return known && this.core.remote.clock.monotonic() - known.at < CATALOGUE_AGE_MAX_MS ? known.models : [];
  }

  /** Returns the account that the order was sent with, as long as it is known, else the current one. */
  accountOf(userId: number, orderId: string): ConnectedAccount | undefined {
    return this.#accountOfOrder(orderId) ?? this.store.current(userId);
  }

  clientOf(accountId: number): ApiClient {
    return this.#openOf(accountId).client;
  }

  #accountOfOrder(orderId: string): ConnectedAccount | undefined {
    const sentWith = this.core.submissions.find(orderId)?.account_id ?? undefined;
    return sentWith === undefined ? undefined : this.store.find(sentWith);
  }

  #openOf(accountId: number) {
    const known = this.#open.get(accountId);
    if (known) return known;
    const { remote } = this.core;
    // The key may be replaced meanwhile.
    const key = () => this.store.keyOf(accountId);
    const client = new ApiClient(remote, key, () => this.watch.doubt(accountId));
    const onModels = (models: readonly Model[]) => {
      this.#catalogue = { models, at: remote.clock.monotonic() };
    };
    const gateway = new RemoteGateway(this.core, client, accountId, onModels);
    const opened = { client, gateway };
    this.#open.set(accountId, opened);
    return opened;
  }
}

/** The most refusals of a person: guesses would also make the service slow down everybody's calls. */
const REFUSALS_MAX = 10;
const REFUSALS_WITHIN_MS = HOUR_MS;

class AccountConnections implements Connections {
  /** What finds keys like those that are connected, by the sealed key, and like those that were refused, by user. */
  readonly #shapes = new BoundedMap<string, Find>(REMEMBERED);
  readonly #refusedShapes = new BoundedMap<number, readonly Find[]>(REMEMBERED);
  /** Milliseconds since the epoch at which keys were refused, by user. */
  readonly #refusals = new BoundedMap<number, readonly number[]>(REMEMBERED);

  /** @param onConnected called when the orders of a user may have a working key again */
  constructor(
    private readonly core: RemoteCore,
    private readonly store: AccountStore,
    private readonly watch: KeyWatch,
    private readonly keys: OwnKeys,
    private readonly onConnected: (userId: number) => Promise<void>,
  ) {}

  async connect({ id: userId }: User, key: string): Promise<ConnectOutcome> {
    const { remote } = this.core;
    const since = remote.clock.monotonic() - REFUSALS_WITHIN_MS;
    const refusals = (this.#refusals.get(userId) ?? []).filter((at) => at > since);
    if (refusals.length >= REFUSALS_MAX) return { outcome: "too_many" };
    const client = new ApiClient(remote, () => key);
    const balance = await client.balance(CHECK).catch((error: unknown) => {
      if (isKeyRefused(error)) return undefined;
      throw error;
    });
    if (!balance) {
      const shapes = [keysLike(key), ...(this.#refusedShapes.get(userId) ?? [])];
      this.#refusedShapes.set(userId, shapes.slice(0, REFUSED_MAX));
      this.#refusals.set(userId, [...refusals, remote.clock.monotonic()]);
      return { outcome: "refused" };
    }
    const same = await this.#sameAccount(userId, key, client);
    const resumed = same && same.refused_at !== null ? this.keys.countOpenOrders(same) : 0;
    if (same) await this.store.replaceKey(same, key);
    else await this.store.add(userId, key);
    await this.onConnected(userId);
    await this.dropEnded(this.store.ofUser(userId));
    return { outcome: "connected", balance, resumed, earlier: this.#earlierOrders(userId) };
  }

  findKey({ id: userId }: User, text: string): string | undefined {
    const connectedShapes = this.store.ofUser(userId).map(({ id, sealed_key }) => {
      const find = this.#shapes.get(sealed_key) ?? keysLike(this.store.keyOf(id));
      this.#shapes.set(sealed_key, find);
      return find;
    });
    const shapes = [...connectedShapes, ...(this.#refusedShapes.get(userId) ?? [])];
    return shapes.map((find) => find(text)).find((found) => found !== undefined);
  }

  async disconnect({ id: userId }: User): Promise<DisconnectOutcome> {
    if (!(await this.store.leave(userId))) return { outcome: "not_connected" };
    await this.dropEnded(this.store.ofUser(userId));
    const left = this.store.ofUser(userId);
    const openOrders = left.reduce((sum, account) => sum + this.keys.countOpenOrders(account), 0);
    return { outcome: "disconnected", openOrders };
  }

  onKeyRefused(tell: (key: RefusedKey) => Promise<void>): void {
    this.watch.onRefused(tell);
  }

  async dropEnded(accounts: readonly ConnectedAccount[]): Promise<void> {
    for (const account of accounts)
      if (account.is_current === 0 && this.keys.countOpenOrders(account) === 0)
        await this.store.remove(account.id);
  }

  #earlierOrders(userId: number): EarlierOrders {
    const earlier: EarlierOrders = { followed: 0, waiting: 0 };
    for (const account of this.store.ofUser(userId)) {
      if (account.is_current === 1) continue;
      earlier[account.refused_at !== null ? "waiting" : "followed"] += this.keys.countOpenOrders(account);
    }
    return earlier;
  }

  /**
   * Finds the account that a new key belongs to. The contract does not name accounts: a job of the account is asked for
   * with the new key, since no other account can see it. Throws CallFailedError when the service does not answer.
   * @param client has the new key
   */
  async #sameAccount(userId: number, key: string, client: ApiClient): Promise<ConnectedAccount | undefined> {
    const accounts = this.store.ofUser(userId);
    const sameKey = accounts.find(({ id }) => this.store.keyOf(id) === key);
    if (sameKey) return sameKey;
    const seen = await Promise.all(
      accounts.map(async ({ id }) => {
        const jobId = this.keys.lastJobOf(id);
        return jobId !== undefined && isVisible(client.job(jobId, CHECK));
      }),
    );
    return accounts.find((_account, index) => seen[index]);
  }
}

const SWEEP_INTERVAL_MS = MINUTE_MS;

export interface OwnKeys {
  cipher: TextCipher;
  /** Counts orders that were sent with the account, or may still be, and that have not ended. */
  countOpenOrders: (account: { id: number; user_id: number }) => number;
  /** Finds the last job of an order that was sent with the account: no other account can see it. */
  lastJobOf: (accountId: number) => JobId | undefined;
}

/**
 * Accounts that people connect with keys of their own.
 * @param pollNow asks for the open jobs of a user now
 */
export function connectedAccounts(
  core: RemoteCore,
  keys: OwnKeys,
  database: Database,
  isLinksOnly: boolean,
  pollNow: (userId: number) => Promise<void>,
): RemoteAccounts {
  const { clock, logger } = core.remote;
  const store = new AccountStore(database, keys.cipher);
  const check = (id: number) => gateways.clientOf(id).balance(CHECK);
  const watch = new KeyWatch(store, check, keys, clock, logger);
  const gateways = new ConnectedGateways(core, store, watch);
  const connections = new AccountConnections(core, store, watch, keys, pollNow);
  const ages = new Ages(clock);
  let endSweep = () => {};
  const sweep = () => {
    watch.tellAll();
    connections
      .dropEnded(store.kept())
      .catch((error: unknown) => logger.warn({ err: error }, "keys of ended orders not forgotten"));
  };
  return {
    gateways,
    accounts: {
      kind: "connected",
      isLinksOnly,
      connections,
      catalogue: () => gateways.catalogue(),
      wasSent: (orderId) => core.submissions.find(orderId) !== undefined,
    },
    accountOf: ({ id, user }) => gateways.accountOf(user.id, id)?.id,
    async readJob({ id: orderId, user }, id, signal) {
      const account = gateways.accountOf(user.id, orderId);
      if (!account) throw new Unavailable("account");
      const job = await gateways.clientOf(account.id).job(id, { triesMax: 1, signal });
      if (account.refused_at !== null) await store.accept(account.id);
      return job;
    },
    pauseOfRefused: ({ id, user }) => pauseOfRefused(gateways.accountOf(user.id, id), ages),
    check: (options) => health(core.remote, options),
    async start() {
      await store.reseal().catch((error: unknown) => {
        if (!(error instanceof UnsealError)) throw error;
        const what = "a connected key was encrypted with a key that is not in the list";
        throw new StartError(`ENCRYPTION_KEY: ${what} (${reasonOf(error)})`, { cause: error });
      });
      endSweep = repeat(clock, SWEEP_INTERVAL_MS, sweep);
    },
    stop() {
      endSweep();
      watch.stop();
    },
  };
}
