import type { Kopecks } from "../contract/money.js";
import type { InviteSums } from "../ports/invites.js";
import type { WelcomeGuard } from "./account/welcome-guard.js";
import type { OrderLimits } from "./jobs/order-limits.js";

export interface EmbeddedSettings {
  welcomeCreditKopecks: Kopecks;
  /** Makes the welcome credit wait for a tap of people who do not look real. By default everybody gets it at once. */
  welcomeGuard?: WelcomeGuard | undefined;
  refundFailedJobs: boolean;
  jobTimeoutMs: number;
  mediaRetentionDays: number;
  publicUrl: string;
  /** Orders of at least this sum are told to operators. */
  toldSaleKopecks: Kopecks;
  /** What an invitation brings; by default there are no invitations. */
  inviteSums?: InviteSums | undefined;
  /** Limits of the orders of a person; by default there are none. */
  orderLimits?: OrderLimits;
}
