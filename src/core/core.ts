import type { Migration } from "../database/migrations.js";
import { MEDIA_MIGRATION } from "../media/media-rows.js";
import { KEPT_REFERENCES_MIGRATION } from "../media/reference-rows.js";
import { RETENTION_CLOCK_MIGRATION } from "../media/retention-clock.js";
import { ACCOUNT_MIGRATION } from "./account/account-store.js";
import { IDEMPOTENCY_MIGRATION } from "./jobs/idempotency-table.js";
import { JOB_PROVIDER_MIGRATION, JOB_QUEUES_MIGRATION } from "./jobs/job-provider.js";
import { JOB_MIGRATION } from "./jobs/job-store.js";
import { JOB_REFERENCES_MIGRATION } from "./jobs/unfetched-jobs.js";
import { KEY_MIGRATION } from "./keys/key-store.js";
import { LEDGER_MIGRATION } from "./ledger/ledger-store.js";

export { readOrMakeSecret } from "../media/link-secret.js";
export type { Account } from "./account/account-store.js";
export { type AdminService, createAdminService } from "./account/admin-service.js";
export { loadCatalogue } from "./catalogue/catalogue.js";
export {
  createEmbeddedService,
  type EmbeddedService,
  type EmbeddedServiceOptions,
  type EmbeddedSettings,
} from "./embedded-service.js";
export { IDEMPOTENCY_RETENTION_SEC } from "./jobs/idempotent-submissions.js";
export type { LedgerEntry } from "./ledger/ledger-store.js";
export type { CoreStats } from "./stats.js";

/** Ordered by their foreign keys. */
export const CORE_MIGRATIONS: readonly Migration[] = [
  ACCOUNT_MIGRATION,
  LEDGER_MIGRATION,
  JOB_MIGRATION,
  MEDIA_MIGRATION,
  KEY_MIGRATION,
  KEPT_REFERENCES_MIGRATION,
  IDEMPOTENCY_MIGRATION,
  RETENTION_CLOCK_MIGRATION,
  JOB_REFERENCES_MIGRATION,
  JOB_PROVIDER_MIGRATION,
  JOB_QUEUES_MIGRATION,
];
