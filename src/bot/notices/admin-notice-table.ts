import type { Generated, Selectable } from "kysely";
import type { Integer } from "../../platform/integer.js";

/** A notice to admins until one of them has it. Those that are told once stay as the mark of what was told. */
interface AdminNoticeTable {
  id: Generated<number>;
  topic: string | null;
  content: string | null;
  /** JSON of `EventNotice`; null once an admin has it. */
  notice: string | null;
  /** Milliseconds since the epoch. */
  at: Integer;
}
export type AdminNoticeRow = Selectable<AdminNoticeTable>;

declare module "../../database/schema.js" {
  interface Schema {
    admin_notice: AdminNoticeTable;
  }
}
