export { readOrMakeSecret } from "../media/link-secret.js";
export { type Account, type AdminService, createAdminService } from "./account/admin-service.js";
export { AdminStore } from "./admins/admin-store.js";
export { type Catalogue, loadCatalogue } from "./catalogue/catalogue.js";
export { liveProblems, type NodeKinds, readNodeKinds } from "./catalogue/check/live-problems.js";
export { catalogueWarnings } from "./catalogue/check/warnings.js";
export { findEntries } from "./catalogue/find-entries.js";
export { sampleRequests } from "./catalogue/sample-requests.js";
export {
  createEmbeddedService,
  type EmbeddedService,
  type EmbeddedServiceOptions,
} from "./embedded-service.js";
export type { EmbeddedSettings } from "./embedded-settings.js";
export { IDEMPOTENCY_RETENTION_SEC } from "./jobs/idempotent-submissions.js";
export { type LedgerEntry, verifyLedger } from "./ledger/ledger-store.js";
export { createSummaries } from "./margins/summaries.js";
export { Offers, type OffersOptions } from "./offers/offers.js";
export { OffersError } from "./offers/read-offers.js";
export { ReloadRequests } from "./offers/reload-requests.js";
export { ReloadWatch } from "./offers/reload-watch.js";
export { type SaleRow, saleReport } from "./offers/sale-report.js";
export { reloadOffers, watchOffers } from "./offers/watch-offers.js";
export { createPromoAdmin, type PromoAdmin } from "./promo/promo-admin.js";
export { attemptsSentAfter, type RestoreFacts, restoreFacts } from "./restore-facts.js";
export type { CoreStats } from "./stats.js";
export { createUpstreamAdmin, type UpstreamAdmin, type UpstreamRecord } from "./upstreams/upstream-admin.js";
export type { AttemptRecord } from "./upstreams/upstream-store.js";
