import type { Database } from "../../database/database.js";
import type { Clock } from "../../platform/clock.js";
import type { Ids } from "../../platform/ids.js";
import type { Logger } from "../../platform/logger.js";
import type { OperatorNotices } from "../../ports/operator-notices.js";
import type { Payments } from "../../ports/till.js";
import { LostPayments } from "./lost-payments.js";
import { OutsideRefunds } from "./outside-refunds.js";
import { PaymentRows } from "./payment-rows.js";
import { RefundRows } from "./refund-rows.js";
import { Refunds } from "./refunds.js";
import { YookassaApi, type YookassaApiOptions } from "./yookassa-api.js";
import { type YookassaSettings, YookassaTill } from "./yookassa-till.js";

export interface YookassaOptions extends Omit<YookassaApiOptions, "root"> {
  /** Another address than the service's own: a proxy or a stand-in. */
  root?: URL | undefined;
  settings: YookassaSettings;
  database: Database;
  payments: Pick<Payments, "invoice" | "closeInvoice" | "byCharge">;
  notices: OperatorNotices;
  clock: Clock;
  ids: Pick<Ids, "secret">;
  logger: Logger;
}

const ROOT = new URL("https://api.yookassa.ru");

/** Builds the till of a shop at YooKassa. Nothing is called before `start` or the first invoice. */
export function openYookassa({ root = ROOT, ...options }: YookassaOptions): YookassaTill {
  const { database } = options;
  const api = new YookassaApi({ ...options, root });
  const rows = new PaymentRows(database);
  const refunds = new Refunds({ ...options, api, rows: new RefundRows(database) });
  const outside = new OutsideRefunds({ ...options, api, rows });
  const lost = new LostPayments({ ...options, api, rows });
  return new YookassaTill({ ...options, api, rows, refunds, outside, lost });
}
