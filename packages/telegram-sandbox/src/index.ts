export { ASSUMPTIONS } from "./assumptions.js";
export type { LoggedCall } from "./call-log.js";
export type { CancelTimer, Clock } from "./clock.js";
export type { SandboxOptions } from "./create-state.js";
export type { Fault, FaultAnswer, FaultCall, FaultOrder, Hold } from "./faults.js";
export type { Json } from "./params.js";
export type { FilePlace, PersonPlace, PersonTap, SandboxPerson } from "./person.js";
export { createSandbox, type Sandbox } from "./sandbox.js";
export type {
  BotView,
  FaultHelp,
  ServiceSummary,
  StandInSummary,
  TaskSummary,
} from "./services-protocol.js";
export type { ServicesControl } from "./services-routes.js";
export { CHECKOUT_TIMEOUT_MS, type CheckoutOutcome } from "./stars.js";
export type { MessageMatch } from "./waiting.js";
export { DEFAULT_PEOPLE, type GroupSpec, type PersonSpec, type TapAnswer, type WorldEvent } from "./world.js";
