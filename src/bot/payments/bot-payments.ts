import type { Api } from "grammy";
import type { UserFromGetMe } from "grammy/types";
import type { Database } from "../../database/database.js";
import { probeWrite } from "../../database/write-probe.js";
import type { Clock } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import type { ManagedAccounts } from "../../ports/accounts.js";
import type { Gateways } from "../../ports/gateway.js";
import type { OperatorNotices } from "../../ports/operator-notices.js";
import type { Till, WatchingTill } from "../../ports/till.js";
import type { CardMessages } from "../card/card-messages.js";
import type { Drafts } from "../card/draft/draft-store.js";
import type { Access } from "../middleware/access.js";
import type { People } from "../people/people.js";
import type { Texts } from "../texts/texts.js";
import { PaymentIntake } from "./payment-intake.js";
import { PaymentTeller } from "./payment-teller.js";
import { PreCheckout } from "./pre-checkout.js";
import { Reconciliation } from "./reconciliation.js";
import type { StarsTill } from "./stars-till.js";
import { TillDesk } from "./till-desk.js";

/** Takes, watches and tells of payments. Exists wherever accounts are managed here, also while nothing is sold. */
export interface BotPayments {
  /** Every till that may have payments, with those that sell nothing now. */
  tills: readonly Till[];
  intake: PaymentIntake;
  teller: PaymentTeller;
  preCheckout: PreCheckout;
  reconciliation: Reconciliation;
  /** Reads how many Stars the bot has, where they are sold. Undefined also where Telegram does not tell. */
  starBalance: () => Promise<number | undefined>;
  /** Runs the tills beside Stars. */
  desk: TillDesk;
}

export interface BotPaymentsParts {
  api: Api;
  plainApi: Api;
  me: Pick<UserFromGetMe, "id" | "username">;
  database: Database;
  accounts: ManagedAccounts;
  stars: StarsTill;
  /** Tills beside Stars. */
  otherTills: readonly WatchingTill[];
  access: Pick<Access, "isFor">;
  gateways: Gateways;
  cards: CardMessages;
  drafts: Drafts;
  people: People;
  texts: Texts;
  notices: OperatorNotices;
  /** Moment of the backup that was restored, in ms since the epoch. */
  backupMadeAt?: number | undefined;
  clock: Clock;
  logger: Logger;
}

export function createBotPayments(parts: BotPaymentsParts): BotPayments {
  const { accounts, stars, database, clock, access } = parts;
  const { payments, admin } = accounts;
  const shared = { ...parts, payments, admin };
  const teller = new PaymentTeller(shared);
  const intake = new PaymentIntake({ ...shared, teller });
  return {
    tills: [stars, ...parts.otherTills],
    intake,
    teller,
    preCheckout: new PreCheckout({
      ...shared,
      isOn: () => stars.isOn,
      barOf: (userId) => {
        if (!access.isFor(userId)) return "not_allowed";
        return accounts.bans.of(userId) && "banned";
      },
      probeWrite: () => probeWrite(database, clock),
    }),
    reconciliation: new Reconciliation({ ...shared, botId: parts.me.id, till: stars, intake, teller }),
    async starBalance() {
      if (!stars.isOn) return undefined;
      return stars.balance().catch((error: unknown) => {
        parts.logger.info({ err: error }, "balance of Stars not known");
        return undefined;
      });
    },
    desk: new TillDesk({
      ...shared,
      tills: parts.otherTills,
      intake,
      teller,
      returnUrl: `https://t.me/${parts.me.username}`,
    }),
  };
}
