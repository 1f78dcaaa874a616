export { readOrMakeSecret } from "../media/link-secret.js";
export { type Account, type AdminService, createAdminService } from "./account/admin-service.js";
export { type Catalogue, loadCatalogue } from "./catalogue/catalogue.js";
export { findEntries } from "./catalogue/find-entries.js";
export { liveProblems, type NodeKinds, readNodeKinds } from "./catalogue/routes/live-problems.js";
export { sampleRequests } from "./catalogue/routes/sample-requests.js";
export { catalogueWarnings } from "./catalogue/warnings.js";
export {
  createEmbeddedService,
  type EmbeddedService,
  type EmbeddedServiceOptions,
  type EmbeddedSettings,
} from "./embedded-service.js";
export { IDEMPOTENCY_RETENTION_SEC } from "./jobs/idempotent-submissions.js";
export type { LedgerEntry } from "./ledger/ledger-store.js";
export type { CoreStats } from "./stats.js";
export { createUpstreamAdmin, type UpstreamAdmin, type UpstreamRecord } from "./upstreams/upstream-admin.js";
export type { AttemptRecord } from "./upstreams/upstream-store.js";
