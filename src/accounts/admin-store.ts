import type { Database } from "../database/database.js";
import { table } from "../database/table.js";
import type { Clock } from "../platform/clock.js";
import type { Integer } from "../platform/integer.js";
import type { User } from "./account-store.js";
import { recordAct } from "./audit-log.js";

/** Tells who the admins are at this moment: one may be added or removed while the service runs. */
export interface Admins extends Iterable<number> {
  has(userId: number): boolean;
}

/** An admin beside those whom the settings list. */
interface AdminRow {
  user_id: number;
  /** The name at that time, for lists. */
  name: string;
  /** Milliseconds since the epoch. */
  added_at: Integer;
}

declare module "../database/prepared.js" {
  interface Schema {
    admin: AdminRow;
  }
}

const admins = table("admin");

/** Admins of the settings and of the database, which is read each time: another process may have written it. */
export class AdminStore implements Admins {
  readonly #listed: ReadonlySet<number>;

  /** @param listed ids of admins by the settings, whom nothing here removes */
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    listed: readonly number[],
  ) {
    this.#listed = new Set(listed);
  }

  has(userId: number): boolean {
    return this.#listed.has(userId) || admins.get(this.database, { user_id: userId }) !== undefined;
  }

  *[Symbol.iterator](): Iterator<number> {
    yield* this.#listed;
    for (const { user_id } of this.kept()) if (!this.#listed.has(user_id)) yield user_id;
  }

  /** Returns the admins of the database, the first one first. */
  kept(): AdminRow[] {
    return admins.all(this.database, {}, { orderBy: ["added_at"] });
  }

  /** Keeps a person as an admin, from the next update on. A second time changes nothing. */
  async add({ id: userId, name }: User, actor: string): Promise<void> {
    await this.database.write("admin-add", (tx) => {
      if (admins.get(tx, { user_id: userId })) return;
      const at = this.clock.now();
      admins.insert(tx, { user_id: userId, name, added_at: at });
      recordAct(tx, { actor, act: "admin_add", accountId: null, subject: `admin:${userId}`, at });
    });
  }

  /** Removes an admin of the database. Resolves to false where there is none. */
  remove(userId: number, actor: string): Promise<boolean> {
    return this.database.write("admin-remove", (tx) => {
      if (admins.delete(tx, { user_id: userId }) === 0) return false;
      const at = this.clock.now();
      recordAct(tx, { actor, act: "admin_remove", accountId: null, subject: `admin:${userId}`, at });
      return true;
    });
  }
}
