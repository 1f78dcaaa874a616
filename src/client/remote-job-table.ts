import type { Generated } from "kysely";
import type { Integer } from "../platform/integer.js";

export interface RemoteJobTable {
  id: string;
  since: Integer;
  due_at: Integer | null;
  not_found_count: Generated<number>;
  not_found_since: Integer | null;
  linkless_since: Integer | null;
}

declare module "../database/schema.js" {
  interface Schema {
    remote_job: RemoteJobTable;
  }
}
