import type { CallLog } from "./call-log.js";
import type { Callbacks } from "./callbacks.js";
import type { Clock } from "./clock.js";
import type { CommandBook } from "./command-book.js";
import type { Faults } from "./faults.js";
import type { FileStore } from "./files.js";
import type { Limits } from "./limits.js";
import type { Params } from "./params.js";
import type { BotApiSchema } from "./schema.js";
import type { SentMessages } from "./sent-messages.js";
import type { Stars } from "./stars.js";
import type { UpdateQueue } from "./updates.js";
import type { World } from "./world.js";

/** Every part of one sandbox; `createSandbox` builds it. */
export interface SandboxState {
  token: string;
  clock: Clock;
  schema: BotApiSchema;
  world: World;
  updates: UpdateQueue;
  callbacks: Callbacks;
  commands: CommandBook;
  files: FileStore;
  limits: Limits;
  faults: Faults;
  calls: CallLog;
  sent: SentMessages;
  stars: Stars;
  /** What the bot says of itself, by field and language. */
  profile: Map<string, string>;
  /** Reports a breach of the schema, by a request or by the sandbox itself. */
  breach(text: string): void;
}

/** One request to a method. */
export interface Call {
  method: string;
  params: Params;
  state: SandboxState;
  /** Aborts when the client has gone. */
  signal: AbortSignal;
  /** How many items of an album a fault lets through. */
  itemsSentMax?: number;
}

/** Answers a call with its `result`, or throws a BotApiError. */
export type Method = (call: Call) => unknown;

export type Methods = Readonly<Record<string, Method>>;
