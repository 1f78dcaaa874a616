import type { Model } from "../../contract/model.js";
import { BoundedMap } from "../../platform/bounded-map.js";
import type { Clock } from "../../platform/clock.js";
import { DAY_MS } from "../../platform/units.js";
import {
  type Gateway,
  type Gateways,
  NOT_CONNECTED,
  type NotConnected,
  type User,
} from "../../ports/gateway.js";
import { ApiClient } from "../api-client.js";
import type { Remote } from "../remote.js";
import { RemoteGateway, type RemoteGatewayOptions } from "../remote-gateway.js";
import type { AccountStore, ConnectedAccount } from "./account-store.js";
import type { KeyWatch } from "./key-watch.js";

/** The number of gateways kept, each with a list of models. A forgotten one is made again. */
const REMEMBERED = 500;
const CATALOGUE_AGE_MAX_MS = DAY_MS;

interface OpenAccount {
  client: ApiClient;
  gateway: Gateway;
}

type GatewayParts = Pick<
  RemoteGatewayOptions,
  "submissions" | "jobs" | "results" | "publishReference" | "moderation" | "logger"
>;

export interface ConnectedGatewaysOptions extends GatewayParts {
  remote: Remote;
  store: AccountStore;
  watch: KeyWatch;
  clock: Clock;
}

export class ConnectedGateways implements Gateways {
  readonly #options: ConnectedGatewaysOptions;
  readonly #open = new BoundedMap<number, OpenAccount>(REMEMBERED);
  #catalogue: { models: readonly Model[]; at: number } | undefined;

  constructor(options: ConnectedGatewaysOptions) {
    this.#options = options;
  }

  async of({ id: userId }: User): Promise<Gateway | NotConnected> {
    const account = this.#options.store.current(userId);
    if (!account) return NOT_CONNECTED;
    if (account.refusedAt === undefined) return this.#openOf(account.id).gateway;
    // The key may work again.
    this.#options.watch.doubt(account.id);
    return NOT_CONNECTED;
  }

  async ofOrder(orderId: string, user: User): Promise<Gateway | NotConnected> {
    const sentWith = this.#accountOfOrder(orderId);
    return sentWith ? this.#openOf(sentWith.id).gateway : this.of(user);
  }

  /** Returns the models that were read last, with the key of anybody. */
  catalogue(): readonly Model[] {
    const known = this.#catalogue;
    return known && this.#options.clock.monotonic() - known.at < CATALOGUE_AGE_MAX_MS ? known.models : [];
  }

  /** Returns the account that the order was sent with, as long as it is known, else the current one. */
  accountOf(userId: number, orderId: string): ConnectedAccount | undefined {
    return this.#accountOfOrder(orderId) ?? this.#options.store.current(userId);
  }

  clientOf(accountId: number): ApiClient {
    return this.#openOf(accountId).client;
  }

  #accountOfOrder(orderId: string): ConnectedAccount | undefined {
    const { store, submissions } = this.#options;
    const sentWith = submissions.accountOf(orderId);
    return sentWith === undefined ? undefined : store.find(sentWith);
  }

  #openOf(accountId: number): OpenAccount {
    const known = this.#open.get(accountId);
    if (known) return known;
    const opened = this.#make(accountId);
    this.#open.set(accountId, opened);
    return opened;
  }

  #make(accountId: number): OpenAccount {
    const { remote, store, watch, clock } = this.#options;
    // The key is read for each call: it may be replaced meanwhile.
    const key = { current: () => store.keyOf(accountId), onRefused: () => watch.doubt(accountId) };
    const client = new ApiClient(remote, key);
    const onModels = (models: readonly Model[]) => {
      this.#catalogue = { models, at: clock.monotonic() };
    };
    const gateway = new RemoteGateway({ ...this.#options, client, accountId, onModels });
    return { client, gateway };
  }
}
