import { asKopecks } from "../../src/contract/price.js";
import type { EmbeddedServiceOptions, EmbeddedSettings } from "../../src/core/embedded-service.js";
import { UnreadableReferenceError } from "../../src/jobs/reference-reader.js";
import { noModeration } from "../../src/moderation/moderation.js";
import { eraseAttempts, flagRefunded } from "../../src/providers/attempt-store.js";

export const SETTINGS: EmbeddedSettings = {
  welcomeCreditKopecks: asKopecks(0),
  refundFailedJobs: true,
  jobTimeoutMs: 60_000,
  mediaRetentionDays: 30,
  publicUrl: "http://127.0.0.1:8080",
  toldSaleKopecks: asKopecks(500_00),
  orderLimits: { activeMax: 0, perMinuteMax: 0 },
};

/** What the modules above the core tell it, where there are none. */
export const ALONE = {
  readReference: () =>
    Promise.reject(new UnreadableReferenceError("A reference picture could not be fetched.")),
  isOrderOpen: () => false,
  moderation: noModeration,
  onRefund: flagRefunded,
  onErase: eraseAttempts,
} satisfies Partial<EmbeddedServiceOptions>;
