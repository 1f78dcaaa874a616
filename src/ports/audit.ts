import { z } from "zod";

/** What an act changed: names of fields with their values. Never words of users, keys or secrets. */
export const auditDetail = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));
export type AuditDetail = Readonly<z.infer<typeof auditDetail>>;

export interface Act {
  /** `ctl`, or an admin as the front-end names them. */
  actor: string;
  /** A standard verb, such as `credit`, `ban` or `refund`. */
  act: string;
  /** Whom it concerns; null for an act that concerns no account. */
  accountId: number | null;
  /** What it concerns beside the account, such as `order:12` or `model:veo-3.1`. */
  subject: string | null;
  before: AuditDetail | null;
  after: AuditDetail | null;
  reason: string | null;
}

export interface AuditEntry extends Act {
  id: number;
  /** Milliseconds since the epoch. */
  at: number;
}

export interface AuditPage {
  /** Entries with a smaller id; by default the newest. */
  beforeId?: number;
  accountId?: number;
  limit: number;
}

/** Records what admins and operators did. An entry is never edited and never deleted. */
export interface Audit {
  record(act: Act): Promise<void>;
  /** Returns entries, newest first. */
  list(page: AuditPage): AuditEntry[];
}
