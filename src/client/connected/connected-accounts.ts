import { Unavailable } from "../../contract/errors.js";
import type { Database } from "../../database/database.js";
import type { Clock } from "../../platform/clock.js";
import { reasonOf } from "../../platform/reason-of.js";
import { repeat } from "../../platform/retry.js";
import { StartError } from "../../platform/start-error.js";
import { type TextCipher, UnsealError } from "../../platform/text-cipher.js";
import { MINUTE_MS } from "../../platform/units.js";
import { health } from "../api-client.js";
import type { Remote } from "../remote.js";
import type { RemoteAccounts } from "../remote-accounts.js";
import type { RemoteGatewayOptions } from "../remote-gateway.js";
import { AccountStore, type ConnectedAccount } from "./account-store.js";
import { AccountConnections } from "./connect.js";
import { ConnectedGateways } from "./connected-gateways.js";
import { KeyWatch } from "./key-watch.js";
import { RefusedPauses } from "./refused-pauses.js";

const KEY_CHECK = { timeoutMs: 4500, triesMax: 1 };
const SWEEP_INTERVAL_MS = MINUTE_MS;

export interface OwnKeysOptions {
  cipher: TextCipher;
  /** Counts orders that were sent with the account, or may still be, and that have not ended. */
  countOpenOrders: (account: ConnectedAccount) => number;
}

interface Parts
  extends OwnKeysOptions,
    Pick<
      RemoteGatewayOptions,
      "submissions" | "jobs" | "results" | "publishReference" | "moderation" | "clock" | "logger"
    > {
  remote: Remote;
  database: Database;
  isLinksOnly: boolean;
  /** Asks for the open jobs of a user now. */
  pollNow: (userId: number) => Promise<void>;
  clock: Clock;
}

/** Accounts that people connect with keys of their own. */
export function connectedAccounts(parts: Parts): RemoteAccounts {
  const { remote, database, cipher, clock, logger, pollNow } = parts;
  const store = new AccountStore(database, cipher);
  const check = (id: number) => gateways.clientOf(id).balance(KEY_CHECK);
  const watch = new KeyWatch({ ...parts, store, check });
  const gateways = new ConnectedGateways({ ...parts, store, watch });
  const connections = new AccountConnections({ ...parts, store, watch, onConnected: pollNow });
  const pauses = new RefusedPauses(clock);
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
      isLinksOnly: parts.isLinksOnly,
      connections,
      catalogue: () => gateways.catalogue(),
      wasSent: (orderId) => parts.submissions.has(orderId),
    },
    accountOf: ({ id, user }) => gateways.accountOf(user.id, id)?.id,
    async readJob({ id: orderId, user }, id, signal) {
      const account = gateways.accountOf(user.id, orderId);
      if (!account) throw new Unavailable("account");
      const job = await gateways.clientOf(account.id).job(id, { triesMax: 1, signal });
      if (account.refusedAt !== undefined) await store.accept(account.id);
      return job;
    },
    pauseOfRefused: ({ id, user }) => pauses.of(gateways.accountOf(user.id, id)),
    check: (options) => health(remote, options),
    async start() {
      await resealKeys(store);
      endSweep = repeat(clock, SWEEP_INTERVAL_MS, sweep);
    },
    stop() {
      endSweep();
      watch.stop();
    },
  };
}

async function resealKeys(store: AccountStore): Promise<void> {
  try {
    await store.reseal();
  } catch (error) {
    if (!(error instanceof UnsealError)) throw error;
    const what = "a connected key was encrypted with a key that is not in the list";
    throw new StartError(`ENCRYPTION_KEY: ${what} (${reasonOf(error)})`, { cause: error });
  }
}
