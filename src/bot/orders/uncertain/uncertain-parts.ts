import type { Api } from "grammy";
import type { Logger } from "../../../platform/logger.js";
import type { ServiceAccounts } from "../../../ports/accounts.js";
import type { Admins } from "../../../ports/admins.js";
import type { Gateways } from "../../../ports/gateway.js";
import type { OperatorNotices } from "../../../ports/operator-notices.js";
import type { CardMessages } from "../../card/card-messages.js";
import type { Drafts } from "../../card/draft/draft-store.js";
import type { Person } from "../../people/people.js";
import type { Outbox } from "../../telegram/outbox/outbox.js";
import type { ChatPlace } from "../../telegram/place.js";
import type { Language } from "../../texts/texts.js";
import type { Order } from "../store/order.js";
import type { OrderStore } from "../store/order-store.js";

export interface UncertainParts {
  api: Api;
  outbox: Outbox;
  orders: OrderStore;
  drafts: Drafts;
  cards: CardMessages;
  gateways: Gateways;
  accounts: ServiceAccounts;
  logger: Logger;
  personOf: (userId: number) => Person | undefined;
  languageOf: (userId: number) => Language;
  supportContact: string | undefined;
  adminIds: Admins;
  eventsChat: ChatPlace | undefined;
  notices: OperatorNotices;
  onAccepted: (order: Order) => void;
  stopRepeats: (orderId: string) => void;
}
