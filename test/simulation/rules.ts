import type { EmbeddedSettings } from "../../src/core/embedded-service.js";
import type { Moderation } from "../../src/moderation/moderation.js";
import type { SimAccounts } from "./sim-accounts.js";
import type { SimCallbacks } from "./sim-callbacks.js";
import type { SimKie } from "./sim-kie.js";
import type { SimYookassa } from "./sim-yookassa.js";

/** Photos that a person sent as one media group. */
interface Album {
  userId: number;
  photos: readonly string[];
  /** It began a card of pictures, which has room for all of them. */
  isWhole: boolean;
}

/** What was done in the group, by whom: nobody else pays for it. */
interface GroupBook {
  /** Who wrote the words of a name. */
  writers: Map<string, number>;
  /** Who tapped what pays for a card, by the card's number. */
  payers: Map<string, Set<number>>;
  /** Who ordered once more what somebody had: such an order has the other's words and card. */
  takers: Set<number>;
}

/** What admins wrote in topics, and to whom. */
interface SupportBook {
  answers: { text: string; userId: number }[];
}

/** What the operator has set in a world. */
export type Rules = Partial<Pick<EmbeddedSettings, "inviteSums" | "orderLimits" | "welcomeGuard">> & {
  moderation?: Moderation;
  /** The shop where people pay beside Stars. */
  shop?: SimYookassa;
  /** A service beside fal, which jobs are handed over to. */
  kie?: SimKie;
  /** The calls of services about their tasks; without them the service has no public address. */
  callbacks?: SimCallbacks;
  /** The accounts elsewhere that people connect with keys of their own; without them everybody shares one. */
  accounts?: SimAccounts;
  /** What was done in a group. */
  group?: GroupBook;
  /** Albums that people sent. */
  albums?: Album[];
  /** What admins answered in the chat of operators. */
  support?: SupportBook;
};
