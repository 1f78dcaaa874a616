import type { Context, MiddlewareFn } from "grammy";
import type { MessageEntity } from "grammy/types";
import { isPrivate } from "./place.js";

/** Removes the mention of the bot; undefined when the text does not mention it. */
export function withoutMention(words: string, username: string): string | undefined {
  const mention = new RegExp(`(^|\\s)@${username}\\b[,:]?`, "i");
  return mention.test(words) ? words.replace(mention, " ").trim() : undefined;
}

/**
 * Removes the bot's own name from both ends of texts and captions in private chats, where people write it out of
 * habit: it is no part of a description.
 */
export function dropOwnMention(): MiddlewareFn<Context> {
  return async (ctx, next) => {
    const message = ctx.message ?? ctx.editedMessage;
    if (message && isPrivate(ctx)) {
      for (const part of ["text", "caption"] as const) {
        const words = message[part];
        const [command = ""] = /^\/\w+(?:@\w+)?\s+/.exec(words ?? "") ?? [];
        const own = command + withoutOuterMention((words ?? "").slice(command.length), ctx.me.username);
        if (words === undefined || own === words) continue;
        Object.assign(message, {
          [part]: own,
          [`${part === "text" ? "" : "caption_"}entities`]: entitiesOf(own),
        });
      }
    }
    await next();
  };
}

/** Marks a command at the beginning, which the rest of the bot knows by its entity. */
function entitiesOf(words: string): MessageEntity[] {
  const [command] = /^\/\w+(?:@\w+)?/.exec(words) ?? [];
  return command === undefined ? [] : [{ type: "bot_command", offset: 0, length: command.length }];
}

function withoutOuterMention(words: string, username: string): string {
  const name = `@${username}`.toLowerCase();
  let rest = words.trim();
  let isNamed = false;
  const isName = (part: string) => part.toLowerCase() === name;
  while (isName(rest.slice(0, name.length)) && !/^\w/.test(rest.slice(name.length))) {
    rest = rest.slice(name.length).replace(/^[,:]/, "").trimStart();
    isNamed = true;
  }
  while (isName(rest.slice(-name.length)) && !/\S$/.test(rest.slice(0, -name.length))) {
    rest = rest.slice(0, -name.length).trimEnd();
    isNamed = true;
  }
  return isNamed ? rest : words;
}
