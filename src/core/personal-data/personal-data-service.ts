import type { Database } from "../../database/database.js";
import type { Transaction } from "../../database/transaction.js";
import { eraseFileTitles, eraseMedia } from "../../media/erase-media.js";
import type { MediaStore } from "../../media/media-store.js";
import type { Clock } from "../../platform/clock.js";
import type { Integer } from "../../platform/integer.js";
import type { Logger } from "../../platform/logger.js";
import type { DataSection, PersonalData } from "../../ports/personal-data.js";
import { eraseAccountName } from "../account/account-store.js";
import type { Accounts } from "../account/accounts.js";
import { eraseNotes } from "../account/note-store.js";
import { eraseInviteCode } from "../invites/invite-store.js";
import { eraseJobs, hasOpenJobsOf } from "../jobs/erase-jobs.js";
import { revokeAllKeys } from "../keys/key-store.js";
import { askErasure, endErasure, erasureOf, erasures } from "./erasure-store.js";
import { accountSections } from "./own-data.js";

const STEP_ROWS = 100;

export interface PersonalDataOptions {
  database: Database;
  accounts: Accounts;
  store: MediaStore;
  clock: Clock;
  logger: Logger;
  /** Erases what providers keep of a job that has ended, in the transaction that erases the job. */
  onErase: (tx: Transaction, jobId: number) => void;
}

/** Tells and erases what the core stores about a person. */
export class PersonalDataService implements PersonalData {
  readonly #options: PersonalDataOptions;

  constructor(options: PersonalDataOptions) {
    this.#options = options;
  }

  *sections(userId: number): Iterable<DataSection> {
    const accountId = this.#accountOf(userId);
    if (accountId !== undefined) yield* accountSections(this.#options.database, accountId);
  }

  async askToErase(userId: number, actor: string): Promise<boolean> {
    const { database, clock, logger } = this.#options;
    const accountId = this.#accountOf(userId);
    if (accountId === undefined) return false;
    const isNew = await database.write("erasure:ask", (tx) =>
      askErasure(tx, { accountId, actor, at: clock.now() }),
    );
    if (isNew) logger.info({ account_id: accountId, actor }, "erasure asked for");
    return isNew;
  }

  isErasureAsked(userId: number): boolean {
    const accountId = this.#accountOf(userId);
    return accountId !== undefined && erasureOf(this.#options.database, accountId) !== undefined;
  }

  toErase(): number[] {
    const { database, accounts } = this.#options;
    const users = erasures(database).map(({ account_id }) => accounts.userOf(account_id));
    return users.filter((userId) => userId !== undefined);
  }

  hasOpenJobs(userId: number): boolean {
    const accountId = this.#accountOf(userId);
    return accountId !== undefined && hasOpenJobsOf(this.#options.database, accountId);
  }

  async erase(userId: number, signal: AbortSignal): Promise<void> {
    const { database, clock } = this.#options;
    const accountId = this.#accountOf(userId);
    if (accountId === undefined) return;
    await database.write("erasure:account", (tx) => {
      eraseAccountName(tx, accountId);
      eraseNotes(tx, accountId);
      eraseInviteCode(tx, accountId);
      revokeAllKeys(tx, accountId, clock.now());
    });
    const before = clock.now();
    await this.#eraseJobs(accountId, signal);
    await this.#eraseFiles(accountId, before, signal);
  }

  async finishErasure(userId: number): Promise<void> {
    const { database, clock, logger } = this.#options;
    const accountId = this.#accountOf(userId);
    if (accountId === undefined) return;
    await database.write("erasure:end", (tx) => endErasure(tx, { accountId, at: clock.now() }));
    logger.info({ account_id: accountId }, "account erased");
  }

  async #eraseJobs(accountId: number, signal: AbortSignal): Promise<void> {
    const { database, onErase } = this.#options;
    for (let afterId: number | undefined = 0; afterId !== undefined && !signal.aborted; ) {
      const page = { accountId, afterId, limit: STEP_ROWS };
      afterId = await database.write("erasure:jobs", (tx) => {
        const ids = eraseJobs(tx, page);
        for (const id of ids) {
          eraseFileTitles(tx, id);
          onErase(tx, id);
        }
        return ids.at(-1);
      });
    }
  }

  /** Deletes files after the commit that marks them: what a crash leaves is an orphan, which the cleanup removes. */
  async #eraseFiles(accountId: number, before: Integer, signal: AbortSignal): Promise<void> {
    const { database, store } = this.#options;
    while (!signal.aborted) {
      const names = await database.write("erasure:files", (tx) =>
        eraseMedia(tx, { accountId, before, limit: STEP_ROWS }),
      );
      if (names.length === 0) return;
      for (const name of names) await store.remove(name);
    }
  }

  #accountOf(userId: number): number | undefined {
    return this.#options.accounts.existingIdOf(userId);
  }
}
