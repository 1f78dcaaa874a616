import type { TelegramMessage } from "@gramio/types";
import type { Chatter } from "./chatter.js";
import type { TestService } from "./service.js";

type World = Pick<TestService, "sandbox">;

/** A command as it surely reaches a bot in a group: with the bot's name. */
export function toBot({ sandbox }: World, command: string): string {
  return command.replace(/^\/\w+/, (name) => `${name}@${sandbox.bot.username}`);
}

/** Somebody begins an image in the group; resolves with the card on which it can be paid. */
export async function beginImageInGroup(
  world: World,
  chatter: Chatter,
  words: string,
): Promise<TelegramMessage> {
  chatter.say(toBot(world, `/image ${words}`));
  return chatter.seeButton("✅", words);
}
