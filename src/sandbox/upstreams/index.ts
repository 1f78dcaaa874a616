export { ASSUMPTIONS } from "./assumptions.js";
export type { LoggedCall } from "./call-log.js";
export type { FaultOrder } from "./faults/fault-orders.js";
export { FAULTS, type FaultName } from "./faults/fault-table.js";
export type { LedgerEntry } from "./ledger.js";
export type { ServiceName } from "./service-name.js";
export type { Task } from "./task.js";
export type { Timing } from "./time.js";
export { createUpstreams, type Upstreams, type UpstreamsOptions } from "./upstreams.js";
