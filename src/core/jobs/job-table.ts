import type { Generated } from "kysely";
import type { Failure, JobStatus } from "../../contract/job.js";
import type { GenerationType } from "../../contract/model.js";
import type { Kopecks } from "../../contract/money.js";
import type { Integer } from "../../platform/integer.js";

export type Origin = "api" | "bot";

export interface JobTable {
  id: Generated<number>;
  account_id: number;
  origin: Origin;
  /** Null for API requests without an idempotency key. */
  order_id: string | null;
  order_index: number;
  type: GenerationType;
  model_key: string;
  model: string;
  model_title: string;
  request: string;
  seed: number;
  cost: Kopecks;
  reference_count: Generated<number>;
  provider: Generated<string>;
  /** Names of providers that gave it back, as JSON. */
  declined_by: Generated<string>;
  /** Tracks to make; 1 for images and videos. */
  tracks: Generated<number>;
  status: JobStatus;
  failure: Failure | null;
  error: string | null;
  is_refunded: 0 | 1;
  /** Milliseconds since the epoch at which the charge of a done job was refunded: its files were lost. */
  paid_back_at: Integer | null;
  attempts: number;
  /** Times are in milliseconds since the epoch. */
  created_at: Integer;
  started_at: Integer | null;
  finished_at: Integer | null;
}

declare module "../../database/schema.js" {
  interface Schema {
    job: JobTable;
  }
}
