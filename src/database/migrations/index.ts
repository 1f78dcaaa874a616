import type { Migration } from "../migrate.js";
import { baseline } from "./0001-baseline.js";
import { mainText } from "./0002-main-text.js";
import { audit } from "./0003-audit.js";
import { toldCredit } from "./0004-told-credit.js";
import { till } from "./0005-till.js";
import { admins } from "./0006-admins.js";
import { erasure } from "./0007-erasure.js";
import { ledgerMonths } from "./0008-ledger-months.js";
import { bansAndNotes } from "./0009-bans-and-notes.js";
import { orderNumbers } from "./0010-order-numbers.js";
import { restoredBackup } from "./0011-restored-backup.js";
import { offers } from "./0012-offers.js";
import { events } from "./0013-events.js";
import { broadcast } from "./0014-broadcast.js";
import { modelOverrides } from "./0015-model-overrides.js";
import { promoCodes } from "./0016-promo-codes.js";
import { orderLimits } from "./0017-order-limits.js";
import { starPayments } from "./0018-star-payments.js";
import { welcomeCredits } from "./0019-welcome-credits.js";
import { invites } from "./0020-invites.js";
import { support } from "./0021-support.js";
import { draftLimit } from "./0022-draft-limit.js";
import { reloads } from "./0023-reloads.js";
import { yookassa } from "./0024-yookassa.js";
import { returnedMoney } from "./0025-returned-money.js";
import { adminNotices } from "./0026-admin-notices.js";
import { pictureMessages } from "./0027-picture-messages.js";
import { resumeAsked } from "./0028-resume-asked.js";

/** Lists every migration. A migration's position is its permanent number. */
export const MIGRATIONS: readonly Migration[] = [
  baseline,
  mainText,
  audit,
  toldCredit,
  till,
  admins,
  erasure,
  ledgerMonths,
  bansAndNotes,
  orderNumbers,
  restoredBackup,
  offers,
  events,
  broadcast,
  modelOverrides,
  promoCodes,
  orderLimits,
  starPayments,
  welcomeCredits,
  invites,
  support,
  draftLimit,
  reloads,
  yookassa,
  returnedMoney,
  adminNotices,
  pictureMessages,
  resumeAsked,
];
