export { ASSUMPTIONS } from "./assumptions.js";
export type { LoggedCall } from "./call-log.js";
export type { FaultOrder } from "./faults.js";
export { FAULTS, type FaultName } from "./faults.js";
export { FileMaker } from "./files.js";
export { type LedgerEntry, ledgerEntrySchema } from "./ledger.js";
export { isServiceName, type ServiceName } from "./service-name.js";
export type { Task } from "./task.js";
export type { Timing } from "./time.js";
export { createUpstreams, type Upstreams, type UpstreamsOptions } from "./upstreams.js";
export {
  createYookassa,
  Shop,
  ShopApi,
  type ShopFault,
  type ShopPayment,
  type YookassaStandIn,
} from "./yookassa.js";
