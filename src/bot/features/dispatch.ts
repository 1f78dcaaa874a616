import { type CommandContext, Context, type MiddlewareFn } from "grammy";
import type { BotContext } from "../context.js";
import type { Dialogs } from "../dialogs.js";
import type { EditContext, Handled, Handlers, MessageContext, TapContext } from "./feature.js";

const isMessage = Context.has.filterQuery("message");
const isTap = Context.has.filterQuery("callback_query");
const isEdit = Context.has.filterQuery("edited_message");

type CommandHandler = (ctx: CommandContext<BotContext>) => Handled;
type MessageHandler = (ctx: MessageContext) => Handled;

/**
 * Hands each update to the first feature that takes it. A chain of grammY's own filters, each of which is a
 * composer made anew for every update, took a third of a tap's time.
 */
export function dispatch(features: readonly Handlers[], dialogs: Dialogs): MiddlewareFn<BotContext> {
  const observers = features.flatMap(({ observe }) => (observe ? [observe] : []));
  const onMessage = features.flatMap(messageHandlers);
  const onTap = features.flatMap(({ tap }) => (tap ? [tap] : []));
  const onEdit = features.flatMap(({ edit }) => (edit ? [edit] : []));

  // Only messages answer dialogs, and only a few taps begin one: nothing else needs to know their state.
  const handleMessage = (ctx: MessageContext) =>
    dialogs.within(ctx, async () => void (await firstOf(onMessage, (handler) => handler(ctx))));
  const handleTap = (ctx: TapContext) => firstOf(onTap, (tap) => tap(ctx, ctx.callbackQuery.data ?? ""));
  const handleEdit = (ctx: EditContext) => firstOf(onEdit, (edit) => edit(ctx));

  const handle = (ctx: BotContext): Handled => {
    if (isTap(ctx)) return handleTap(ctx);
    if (isMessage(ctx)) return handleMessage(ctx);
    return isEdit(ctx) ? handleEdit(ctx) : undefined;
  };

  return (ctx) => {
    for (const observe of observers) observe(ctx);
    return handle(ctx) ?? Promise.resolve();
  };
}

/** A feature's commands, then what it does with any other message. */
function messageHandlers({ commands = {}, message }: Handlers): MessageHandler[] {
  const named = Object.entries(commands).map(([name, handle]) => onCommand(name, handle));
  return message ? [...named, message] : named;
}

function onCommand(name: string, handle: CommandHandler): MessageHandler {
  const isNamed = Context.has.command(name);
  return (ctx) => (isNamed(ctx) ? handle(ctx as CommandContext<BotContext>) : undefined);
}

function firstOf<T>(handlers: readonly T[], run: (handler: T) => Handled): Handled {
  for (const handler of handlers) {
    const handled = run(handler);
    if (handled) return handled;
  }
  return undefined;
}
