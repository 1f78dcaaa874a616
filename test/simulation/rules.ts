import type { EmbeddedSettings } from "../../src/core/embedded-settings.js";
import type { Moderation } from "../../src/ports/moderation.js";
import type { SimYookassa } from "./sim-yookassa.js";

/** What the operator has set in a world. */
export type Rules = Partial<Pick<EmbeddedSettings, "inviteSums" | "orderLimits" | "welcomeGuard">> & {
  moderation?: Moderation;
  /** The shop where people pay beside Stars. */
  shop?: SimYookassa;
};
