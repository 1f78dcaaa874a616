import { createHash } from "node:crypto";
import type { Database } from "../database/database.js";
import { table } from "../database/table.js";
import type { Integer } from "../platform/integer.js";

export interface RemoteSubmissionTerms {
  orderId: string;
  /**
   * Continues an interrupted submission: the value, in ms since the epoch, that `onSending` got. Without it an
   * interrupted submission must not be submitted again.
   */
  repeatableUntil?: number;
  /**
   * Awaited before the first POST, unless a submission is continued. Its rejection prevents the POST.
   * @param repeatableUntil undefined if the service does not honour `Idempotency-Key`
   */
  onSending?: (repeatableUntil: Integer | undefined) => Promise<void> | void;
  /** Awaited before each repeat. An UncertainOutcome ends the repeats; any other error postpones this one. */
  beforeRepeat?: () => Promise<void>;
  signal?: AbortSignal;
}

/** An order whose POST was sent, or was about to be. Times in ms since the epoch. */
interface SubmissionRow {
  order_id: string;
  sent_at: Integer;
  repeatable_until: Integer | null;
  sent_to: string | null;
  /** NULL for the account that everybody shares. */
  account_id: number | null;
}

declare module "../database/prepared.js" {
  interface Schema {
    remote_submission: SubmissionRow;
  }
}

/** A submission whose POST was sent, or was about to be. Times in ms since the epoch. */
export interface SentSubmission {
  sentAt: number;
  /** Undefined where the POST must not be repeated. */
  repeatableUntil: number | undefined;
}

const submissions = table("remote_submission");

/** Stores which orders were sent to the service, so that none is sent twice. */
export class SubmissionStore {
  readonly #target: string;

  /** @param target names the service and the account: a POST is repeated only there */
  constructor(
    private readonly database: Database,
    target: string,
  ) {
    this.#target = createHash("sha256").update(target).digest("hex").slice(0, 16);
  }

  /** Finds a submission. `accountId`: of the gateway that asks; a POST is repeated at no other account. */
  find(orderId: string, accountId?: number): SentSubmission | undefined {
    const row = submissions.get(this.database, { order_id: orderId });
    if (!row) return undefined;
    const isSame = row.sent_to === this.#target && (row.account_id ?? undefined) === accountId;
    return {
      sentAt: row.sent_at,
      repeatableUntil: isSame ? (row.repeatable_until ?? undefined) : undefined,
    };
  }

  /** Returns false when the order was not sent, or is known to be refused. */
  has(orderId: string): boolean {
    return submissions.get(this.database, { order_id: orderId }) !== undefined;
  }

  /** Returns the connected account that the order was sent with. Undefined for the shared one, or if not sent. */
  accountOf(orderId: string): number | undefined {
    return submissions.get(this.database, { order_id: orderId })?.account_id ?? undefined;
  }

  /** Stores that the POST is about to be sent. Must run before the first one. */
  begin(
    orderId: string,
    sentAt: Integer,
    repeatableUntil: Integer | undefined,
    accountId: number | undefined,
  ): Promise<void> {
    return this.database.write("remote:sending", (tx) => {
      submissions.insert(tx, {
        order_id: orderId,
        sent_at: sentAt,
        repeatable_until: repeatableUntil ?? null,
        sent_to: this.#target,
        account_id: accountId ?? null,
      });
    });
  }

  /** Removes a submission after an answer that says that nothing was accepted. */
  discard(orderId: string): Promise<void> {
    return this.database.write("remote:refused", (tx) => void submissions.delete(tx, { order_id: orderId }));
  }
}
