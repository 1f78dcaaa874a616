import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type {
  TelegramBotCommand,
  TelegramMessage,
  TelegramStarTransaction,
  TelegramUpdate,
  TelegramUser,
} from "@gramio/types";
import { z } from "zod";
import { FILE_KINDS } from "./file-kind.js";
import { isRecord } from "./params.js";
import type { ShownKeyboard } from "./shown-keyboard.js";

const FILE_NAME = "state.json";

const message = z.custom<TelegramMessage>((value) => isRecord(value) && "message_id" in value);
const update = z.custom<TelegramUpdate>((value) => isRecord(value) && "update_id" in value);
const shown = z.custom<ShownKeyboard>(isRecord);
const user = z.custom<TelegramUser>((value) => isRecord(value) && "id" in value);
const transaction = z.custom<TelegramStarTransaction>((value) => isRecord(value) && "amount" in value);
const commands = z.custom<readonly TelegramBotCommand[]>(Array.isArray);
const sides = z.object({ width: z.number(), height: z.number() });

const chat = z.object({
  id: z.number(),
  botStatus: z.enum(["member", "administrator", "kicked"]),
  lastBotId: z.number().optional(),
  entries: z.array(z.object({ message, shown: shown.optional(), isPaid: z.boolean().optional() })),
  topics: z.array(z.object({ id: z.number(), name: z.string(), icon_color: z.number() })),
  deletedTopics: z.array(z.tuple([z.number(), z.number()])),
});

const person = z.object({
  id: z.number(),
  hasStarted: z.boolean(),
  isKnown: z.boolean(),
  hasBlockedBot: z.boolean(),
  isDeactivated: z.boolean(),
  stars: z.number().default(0),
});

const invoice = z.object({
  title: z.string(),
  description: z.string(),
  payload: z.string(),
  amount: z.number(),
  isPaidOnce: z.boolean(),
  isPaid: z.boolean(),
});

const stars = z.object({
  invoices: z.array(z.tuple([z.string(), invoice])),
  charges: z.array(
    z.object({ id: z.string(), user, amount: z.number(), payload: z.string(), date: z.number() }),
  ),
  refunded: z.array(z.string()),
  transactions: z.array(transaction),
});

const file = z.object({
  id: z.string(),
  uniqueId: z.string(),
  kind: z.enum(FILE_KINDS),
  path: z.string().regex(/^[a-z_]+\/file_\d+(\.\w+)?$/),
  fileName: z.string(),
  mimeType: z.string(),
  size: z.number(),
  dimensions: sides.optional(),
  facts: sides
    .extend({ duration: z.number(), performer: z.string(), title: z.string(), emoji: z.string() })
    .partial(),
  thumbnailId: z.string().optional(),
});

const schema = z.object({
  version: z.literal(1),
  token: z.string(),
  nextPrivateId: z.number(),
  nextGroupId: z.number(),
  people: z.array(person),
  chats: z.array(chat),
  updates: z.object({
    nextId: z.number(),
    allowed: z.array(z.string()),
    queue: z.array(z.object({ update, expiresAtMs: z.number() })),
  }),
  commands: z.array(z.tuple([z.string(), commands])),
  sent: z.array(z.tuple([z.string(), message])),
  files: z.array(file),
  /** Absent in what an earlier version kept. */
  stars: stars.optional(),
});

/** A sandbox as it is kept between two runs: everything but calls, faults and open taps. */
export type KeptState = z.infer<typeof schema>;
export type KeptChat = z.infer<typeof chat>;
export type KeptFile = z.infer<typeof file>;

/**
 * Reads what an earlier run left; undefined where there was none.
 * @throws Error for a file that no sandbox of this version wrote
 */
export function readKeptState(directory: string): KeptState | undefined {
  const path = join(directory, FILE_NAME);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw new Error(`${path} is not what a sandbox kept`, { cause: error });
  }
}

/** Writes the whole state; a crash leaves either the old or the new one. */
export function writeKeptState(directory: string, state: KeptState): void {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, FILE_NAME);
  writeFileSync(`${path}.new`, JSON.stringify(state));
  renameSync(`${path}.new`, path);
}
