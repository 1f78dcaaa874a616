import type { TestService } from "./service.js";

/** A command as it surely reaches a bot in a group: with the bot's name. */
export function toBot({ sandbox }: Pick<TestService, "sandbox">, command: string): string {
  return command.replace(/^\/\w+/, (name) => `${name}@${sandbox.bot.username}`);
}
