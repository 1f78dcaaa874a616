import { type Conversation, createConversation } from "@grammyjs/conversations";
import type { Context, MiddlewareFn } from "grammy";
import type { BotContext } from "../context.js";
import { isCommand } from "../telegram/message-content.js";

/** A question ends after this many answers that cannot be used. */
const TRIES_MAX = 5;

/** A question that waits for a typed answer. Its subject is stored as JSON until the question ends. */
export interface Question<Subject> {
  name: string;
  /** Absent at run time: it ties the subject's type to the question. */
  subject?: Subject;
}

type Named = Pick<Question<unknown>, "name">;
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

export interface AnswerOptions<Subject> {
  /** Parses a message that is not a command. `isLast`: the question ends even if the answer is refused. */
  take(ctx: BotContext, subject: Subject, isLast: boolean): Promise<AnswerOutcome>;
  /** Runs after the last refused answer. */
  onGivenUp?(ctx: BotContext, subject: Subject): Promise<void>;
  /** True: a command of the sender ends the question. */
  endsOnCommand?: boolean;
}

/** Handles the answers to one question. */
export interface QuestionDialog {
  middleware: MiddlewareFn<BotContext>;
}

type Outcome = AnswerOutcome["kind"] | "failed";

const leftByCommand = new WeakSet<BotContext>();

/**
 * Makes the conversation of a question. Its effects happen in `external`, since a replay repeats the rest. An error
 * leaves the question open and goes to the error handler.
 */
export function questionDialog<Subject>(
  { name }: Question<Subject>,
  { take, onGivenUp, endsOnCommand = false }: AnswerOptions<Subject>,
): QuestionDialog {
  const replies = new WeakMap<BotContext, Reply>();

  const judge = async (ctx: BotContext, subject: Subject, isLast: boolean): Promise<Outcome> => {
    try {
      const answer = await take(ctx, subject, isLast);
      const reply = "reply" in answer ? answer.reply : undefined;
      replies.set(ctx, async () => {
        await reply?.();
        if (answer.kind === "refused" && isLast) await onGivenUp?.(ctx, subject);
      });
      return answer.kind;
    } catch (error) {
      replies.set(ctx, () => Promise.reject(error));
      return "failed";
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
  const middleware: MiddlewareFn<BotContext> = async (ctx, next) => {
    const isLeft = endsOnCommand && ctx.message !== undefined && isCommand(ctx.message);
    if (isLeft && isAsked(ctx, { name })) {
      await ctx.conversation.exit(name);
      leftByCommand.add(ctx);
    }
    await conversation(ctx, next);
    await replies.get(ctx)?.();
  };
  return { middleware };
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
export function isAsked(ctx: BotContext, question?: Named): boolean {
  if (question) return ctx.conversation.active(question.name) > 0;
  return Object.keys(ctx.conversation.active()).length > 0;
}

export async function leaveQuestion(ctx: BotContext, { name }: Named): Promise<void> {
  await ctx.conversation.exit(name);
}
