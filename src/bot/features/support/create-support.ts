import type { Api } from "grammy";
import type { Database } from "../../../database/database.js";
import type { Clock } from "../../../platform/clock.js";
import type { ManagedAccounts } from "../../../ports/accounts.js";
import type { EventStore } from "../../notices/event-store.js";
import { AdminChats, type AdminChatsParts } from "./admin-chats.js";
import { SupportDesk } from "./support-desk.js";
import { SupportStore } from "./support-store.js";

interface SupportOptions extends Omit<AdminChatsParts, "api" | "store" | "events"> {
  /** Makes single tries. */
  plainApi: Api;
  database: Database;
  accounts: Pick<ManagedAccounts, "records">;
  supportContact: string | undefined;
  events: EventStore;
  clock: Clock;
}

/** What there is of support beside its feature. */
export interface Support {
  store: SupportStore;
  chats: AdminChats;
  desk: SupportDesk;
  /** Whether somebody gets what people write here: with a contact alone they are to write there. */
  isOpen(): boolean;
  accountIdOf(userId: number): number | null;
}

export function createSupport(options: SupportOptions): Support {
  const { plainApi: api, database, events, clock, accounts, eventsChat, supportContact, adminIds } = options;
  const store = new SupportStore(database, clock);
  const chats = new AdminChats({ ...options, api, store, events });
  return {
    store,
    chats,
    desk: new SupportDesk({ ...options, api, store, chats }),
    isOpen: () => eventsChat !== undefined || (supportContact === undefined && [...adminIds].length > 0),
    accountIdOf: (userId) => accounts.records.of(userId)?.accountId ?? null,
  };
}
