import {
  type Conversation,
  type ConversationData,
  conversations,
  createConversation,
  type VersionedState,
} from "@grammyjs/conversations";
import type { Context, MiddlewareFn } from "grammy";
import type { Database, Transaction } from "../database/database.js";
import { prepare, qb } from "../database/prepared.js";
import { lessThan, table } from "../database/table.js";
import type { Clock } from "../platform/clock.js";
import type { Integer } from "../platform/integer.js";
import { type TextCipher, UnsealError } from "../platform/text-cipher.js";
import { DAY_MS } from "../platform/units.js";
import type { BotContext } from "./context.js";
import { isCommand } from "./telegram/message-content.js";

/** A question ends after this many answers that cannot be used. */
const TRIES_MAX = 5;

/** A question that waits for a typed answer. Its subject is stored as JSON until the question ends. */
export interface Question<Subject> {
  name: string;
  /** Absent at run time: it ties the subject's type to the question. */
  subject?: Subject;
}

type Reply = () => Promise<unknown>;

/** The meaning of a message to an open question. `reply` runs after the question has ended or begun to wait again. */
export type AnswerOutcome =
  /** The question is answered. */
  | { kind: "over"; reply?: Reply }
  /** The answer cannot be used, and the question waits for another. */
  | { kind: "refused"; reply?: Reply }
  /** The message changes nothing, and no feature gets it. */
  | { kind: "ignored" }
  | { kind: "passed" }
  /** What was asked about is gone: the question ends, and the features get the message. */
  | { kind: "gone" };

/** Tells what is wrong with an answer. */
export function refused(ctx: BotContext, words: string): AnswerOutcome {
  return { kind: "refused", reply: () => ctx.reply(words) };
}

interface AnswerOptions<Subject> {
  /** Parses a message that is not a command. */
  take(ctx: BotContext, subject: Subject): Promise<AnswerOutcome>;
  /** Runs after the last refused answer. */
  onGivenUp?(ctx: BotContext, subject: Subject): Promise<void>;
}

const leftByCommand = new WeakSet<BotContext>();

/**
 * Handles the answers to one question, which a command of the sender ends. Its effects happen in `external`, since a
 * replay repeats the rest. An error leaves the question open and goes to the error handler.
 */
export function questionDialog<Subject>(
  { name }: Question<Subject>,
  { take, onGivenUp }: AnswerOptions<Subject>,
): MiddlewareFn<BotContext> {
  const replies = new WeakMap<BotContext, Reply>();

  const judge = async (ctx: BotContext, subject: Subject, isLast: boolean) => {
    try {
      const answer = await take(ctx, subject);
      const reply = "reply" in answer ? answer.reply : undefined;
      replies.set(ctx, async () => {
        await reply?.();
        if (answer.kind === "refused" && isLast) await onGivenUp?.(ctx, subject);
      });
      return answer.kind;
    } catch (error) {
      replies.set(ctx, () => Promise.reject(error));
      return "failed" as const;
    }
  };

  const dialog = async (
    conversation: Conversation<BotContext, Context>,
    _entered: Context,
    subject: Subject,
  ): Promise<void> => {
    for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
      await conversation.waitUntil(({ message }) => message !== undefined && !isCommand(message), {
        next: true,
      });
      const outcome = await conversation.external((ctx) => judge(ctx, subject, tries === TRIES_MAX));
      if (outcome === "over") return;
      if (outcome === "gone") await conversation.halt({ next: true });
      if (outcome !== "refused") await conversation.skip({ next: outcome === "passed" });
    }
  };

  const conversation = createConversation<BotContext, Context>(dialog, name);
  return async (ctx, next) => {
    if (ctx.message && isCommand(ctx.message) && isAsked(ctx, { name })) {
      await ctx.conversation.exit(name);
      leftByCommand.add(ctx);
    }
    await conversation(ctx, next);
    await replies.get(ctx)?.();
  };
}

/** True where the command of this update has ended a question. */
export function hasLeftQuestion(ctx: BotContext): boolean {
  return leftByCommand.has(ctx);
}

/** Opens a question. A person has at most one in a chat: any other ends. */
export async function ask<Subject>(
  ctx: BotContext,
  { name }: Question<Subject>,
  subject: Subject,
): Promise<void> {
  await ctx.conversation.exitAll();
  await ctx.conversation.enter(name, subject);
}

/** True while the question waits for the sender. Without a question: while any does. */
export function isAsked(ctx: BotContext, question?: { name: string }): boolean {
  if (question) return ctx.conversation.active(question.name) > 0;
  return Object.keys(ctx.conversation.active()).length > 0;
}

/** A dialog of one person in one chat that waits for an answer. */
interface DialogRow {
  key: string;
  /** JSON, sealed where the service has an encryption key. */
  state: string;
  updated_at: Integer;
}

declare module "../database/prepared.js" {
  interface Schema {
    dialog: DialogRow;
  }
}

/** Increase it when the order of a dialog's waits changes: state of another version is dropped. */
const DIALOGS_VERSION = 3;
/** Milliseconds after which a dialog without an answer is deleted. */
const FORGOTTEN_AFTER_MS = 7 * DAY_MS;

const dialogs = table("dialog");

const forgetOf = prepare<{ ending: string }>((p) => qb.deleteFrom("dialog").where("key", "like", p.ending));

/** Names the row that a sealed state belongs to. */
function nameOf(key: string): string {
  return `dialog:${key}`;
}

/** Stores dialog state, one row per person and chat, before the update ends. */
export class Dialogs {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly cipher: TextCipher,
  ) {}

  /** Writes anew what is not stored under the current key. A state whose key is not known is dropped. */
  async reseal(): Promise<void> {
    await this.database.write("dialog-reseal", (tx) => {
      for (const row of dialogs.all(tx, {})) {
        if (this.cipher.isCurrent(row.state)) continue;
        const { key } = row;
        const json = this.#openOf(row);
        if (json === undefined) dialogs.delete(tx, { key });
        else dialogs.save(tx, ["key"], { ...row, state: this.cipher.seal(json, nameOf(key)) });
      }
    });
  }

  async sweep(now: Integer): Promise<void> {
    const before = now - FORGOTTEN_AFTER_MS;
    await this.database.write("dialog-sweep", (tx) => dialogs.delete(tx, { updated_at: lessThan(before) }));
  }

  /** Deletes the dialogs of a person in every chat, and those of admins that name the person, with the id. */
  eraseIn(tx: Transaction, userId: number): void {
    tx.run(forgetOf, { ending: `%:${userId}` });
    for (const row of dialogs.all(tx, {}))
      if (this.#openOf(row)?.includes(String(userId)) !== false) dialogs.delete(tx, { key: row.key });
  }

  /** Installs `ctx.conversation`. */
  middleware(): MiddlewareFn<BotContext> {
    return conversations<BotContext, Context>({
      storage: {
        type: "key",
        version: DIALOGS_VERSION,
        getStorageKey: (ctx) => (ctx.chatId === undefined ? undefined : `${ctx.chatId}:${ctx.from?.id ?? 0}`),
        adapter: {
          read: (key) => this.#read(key),
          write: (key, state) => this.#write(key, state),
          delete: async (key) => {
            await this.database.write("dialog-end", (tx) => dialogs.delete(tx, { key }));
          },
        },
      },
    });
  }

  #read(key: string): VersionedState<ConversationData> | undefined {
    const row = dialogs.get(this.database, { key });
    if (!row) return undefined;
    return JSON.parse(this.cipher.open(row.state, nameOf(key))) as VersionedState<ConversationData>;
  }

  async #write(key: string, state: VersionedState<ConversationData>): Promise<void> {
    const sealed = this.cipher.seal(JSON.stringify(state), nameOf(key));
    const row = { key, state: sealed, updated_at: this.clock.now() };
    await this.database.write("dialog", (tx) => dialogs.save(tx, ["key"], row));
  }

  /** Returns undefined for a state whose key is not known. */
  #openOf({ key, state }: DialogRow): string | undefined {
    try {
      return this.cipher.open(state, nameOf(key));
    } catch (error) {
      if (error instanceof UnsealError) return undefined;
      throw error;
    }
  }
}
