import { randomInt } from "node:crypto";
import { join } from "node:path";
import type { TelegramUser } from "@gramio/types";
import type { Breaches } from "./breaches.js";
import { CallLog } from "./call-log.js";
import { Callbacks } from "./callbacks.js";
import { type Clock, systemClock } from "./clock.js";
import { CommandBook } from "./command-book.js";
import { Faults } from "./faults.js";
import { FileStore } from "./files.js";
import { restore } from "./keeper.js";
import type { KeptState } from "./kept-state.js";
import { CLOUD_LIMITS, LOCAL_LIMITS } from "./limits.js";
import { loadBotApiSchema } from "./schema.js";
import { SentMessages } from "./sent-messages.js";
import type { ServicesControl } from "./services-routes.js";
import { Stars } from "./stars.js";
import type { SandboxState } from "./state.js";
import { UpdateQueue } from "./updates.js";
import { DEFAULT_PEOPLE, type GroupSpec, type PersonSpec, World } from "./world.js";

/** The bot as getMe answers it. Its id are the digits before the token's colon. */
function botUser(token: string, group: GroupSpec): TelegramUser {
  return {
    id: Number(token.split(":")[0]) || 1,
    is_bot: true,
    first_name: "Atelier",
    username: "atelier_sandbox_bot",
    can_join_groups: true,
    can_read_all_group_messages: group.privacy === false,
    supports_inline_queries: false,
    can_connect_to_business: false,
    has_main_web_app: false,
  };
}

export interface SandboxOptions {
  /** The bot's token; its digits before the colon are the bot's id. */
  token?: string;
  /** Two users and an admin by default. */
  people?: readonly PersonSpec[];
  group?: GroupSpec;
  /** Times of messages, ages of taps and updates, long polls; waits of tests use real time. */
  clock?: Clock;
  /** The port on 127.0.0.1; 0, the default, takes a free one. */
  port?: number;
  /** Folder of the chat page's files; by default those that are built. */
  pageDirectory?: string;
  /** The id of the first message of a chat: give a fresh one where older ids may still be known. */
  firstMessageId?: number;
  /** Folder that keeps chats, files and waiting updates over restarts; nothing is kept without. */
  directory?: string;
  /**
   * Behaves as a server with `--local`: files up to 2000 MB, kept below this folder in one named by the token, and
   * getFile tells their absolute paths. They are served by HTTP too, as by a web server in front.
   */
  localDirectory?: string;
  /** Services whose state the page shows and changes. */
  services?: ServicesControl;
  /** Called with every breach at once; `assertNoBreaches` and `close` throw them anyway. */
  onBreach?: (breach: string) => void;
}

const DEFAULT_TOKEN = "123456789:AAsandboxTokenThatOpensNothingAnywhere";

/** Builds every part of a sandbox, with what an earlier run kept where there is any. */
export function createState(options: SandboxOptions, problems: Breaches, kept?: KeptState): SandboxState {
  const { clock = systemClock, people = DEFAULT_PEOPLE, group = {}, directory, localDirectory } = options;
  const token = kept?.token ?? options.token ?? DEFAULT_TOKEN;
  const firstMessageId = options.firstMessageId ?? randomInt(10, 1000);
  const bot = botUser(token, group);
  const world = new World({ clock, bot, people, group, firstMessageId });
  const state: SandboxState = {
    token,
    clock,
    schema: loadBotApiSchema(),
    world,
    updates: new UpdateQueue(clock),
    callbacks: new Callbacks(clock, world),
    commands: new CommandBook(),
    files: new FileStore({
      directory: localDirectory === undefined ? directory : join(localDirectory, token),
      isLocal: localDirectory !== undefined,
    }),
    limits: localDirectory === undefined ? CLOUD_LIMITS : LOCAL_LIMITS,
    faults: new Faults(),
    calls: new CallLog(),
    sent: new SentMessages(kept?.sent),
    stars: new Stars(clock),
    profile: new Map(),
    breach: (text) => problems.add(text),
  };
  if (kept) restore(state, kept);
  return state;
}
