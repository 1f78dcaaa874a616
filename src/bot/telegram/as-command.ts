import type { Context, Filter } from "grammy";

/** Makes a text message the command. */
export function asCommand(ctx: Filter<Context, "message:text">, name: string, text = ""): void {
  const command = ctx.chat.type === "private" ? `/${name}` : `/${name}@${ctx.me.username}`;
  ctx.message.text = text === "" ? command : `${command} ${text}`;
  ctx.message.entities = [{ type: "bot_command", offset: 0, length: command.length }];
}
