import type { Migration } from "../migrate.js";
import { writeProbe } from "./0001-write-probe.js";
import { accounts } from "./0002-accounts.js";
import { ledger } from "./0003-ledger.js";
import { jobs } from "./0004-jobs.js";
import { media } from "./0005-media.js";
import { inbox } from "./0006-inbox.js";
import { people } from "./0007-people.js";
import { dialogs } from "./0008-dialogs.js";
import { drafts } from "./0009-drafts.js";
import { orders } from "./0010-orders.js";
import { deliveries } from "./0011-deliveries.js";
import { removals } from "./0012-removals.js";
import { draftTypes } from "./0013-draft-types.js";
import { apiKeys } from "./0014-api-keys.js";
import { uncertainOrders } from "./0015-uncertain-orders.js";
import { keptReferences } from "./0016-kept-references.js";
import { lastWords } from "./0017-last-words.js";
import { idempotencyKeys } from "./0018-idempotency-keys.js";
import { uploadFailures } from "./0019-upload-failures.js";
import { retentionClock } from "./0020-retention-clock.js";
import { deliveryOffers } from "./0021-delivery-offers.js";
import { jobReferences } from "./0022-job-references.js";
import { finalStatus } from "./0023-final-status.js";
import { jobProvider } from "./0024-job-provider.js";
import { identities } from "./0025-identities.js";
import { chosenSettings } from "./0026-chosen-settings.js";
import { deliveredMessages } from "./0027-delivered-messages.js";
import { jobQueues } from "./0028-job-queues.js";
import { uncertainRecords } from "./0029-uncertain-records.js";
import { remoteOrders } from "./0030-remote-orders.js";
import { repeatedOrders } from "./0031-repeated-orders.js";
import { spending } from "./0032-spending.js";
import { attempts } from "./0033-attempts.js";
import { upstreamPauses } from "./0034-upstream-pauses.js";
import { declinedJobs } from "./0035-declined-jobs.js";
import { toldPauses } from "./0036-told-pauses.js";
import { connectedAccounts } from "./0037-connected-accounts.js";
import { originals } from "./0038-originals.js";
import { paidBackJobs } from "./0039-paid-back-jobs.js";
import { silentPauses } from "./0040-silent-pauses.js";
import { trustedClocks } from "./0041-trusted-clocks.js";
import { upstreamStates } from "./0042-upstream-states.js";
import { jobOperations } from "./0043-job-operations.js";
import { remoteJobKeys } from "./0044-remote-job-keys.js";
import { outboxAndAskedCorrections } from "./0045-outbox-and-asked-corrections.js";
import { orderProgress } from "./0046-order-progress.js";
import { attemptCallbacks } from "./0047-attempt-callbacks.js";
import { mainText } from "./0048-main-text.js";

/** Every migration. A migration's position is its permanent number. */
export const MIGRATIONS: readonly Migration[] = [
  writeProbe,
  accounts,
  ledger,
  jobs,
  media,
  inbox,
  people,
  dialogs,
  drafts,
  orders,
  deliveries,
  removals,
  draftTypes,
  apiKeys,
  uncertainOrders,
  keptReferences,
  lastWords,
  idempotencyKeys,
  uploadFailures,
  retentionClock,
  deliveryOffers,
  jobReferences,
  finalStatus,
  jobProvider,
  identities,
  chosenSettings,
  deliveredMessages,
  jobQueues,
  uncertainRecords,
  remoteOrders,
  repeatedOrders,
  spending,
  attempts,
  upstreamPauses,
  declinedJobs,
  toldPauses,
  connectedAccounts,
  originals,
  paidBackJobs,
  silentPauses,
  trustedClocks,
  upstreamStates,
  jobOperations,
  remoteJobKeys,
  outboxAndAskedCorrections,
  orderProgress,
  attemptCallbacks,
  mainText,
];
