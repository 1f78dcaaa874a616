export { ASSUMPTIONS } from "./assumptions.js";
export type { LoggedCall } from "./call-log.js";
export type { Fault, FaultAnswer, FaultCall, FaultOrder, Hold } from "./faults.js";
export type { FilePlace, PersonPlace, PersonTap, SandboxPerson } from "./person.js";
export { createSandbox, DEFAULT_PEOPLE, type Sandbox, type SandboxOptions } from "./sandbox.js";
export type { MessageMatch, MessageWaitOptions, WaitOptions } from "./waiting.js";
export type { GroupSpec, PersonSpec, TapAnswer, WorldEvent } from "./world.js";
