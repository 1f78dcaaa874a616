import type { CommandContext } from "grammy";
import type { GenerationType } from "../../contract/model.js";
import { type BotContext, placeOf } from "../context.js";
import { linksOf } from "../create/links.js";
import { heldBack } from "../create/take-message.js";
import { cleanText } from "../html.js";
import type { Feature } from "./feature.js";

/** `/image`: the image models, then one card on which everything is set, written and paid. */
export const image = compose("image");
/** `/video`: the same for videos. */
export const video = compose("video");
/** `/music`: the same for songs. */
export const music = compose("music");

/** A command at the beginning of a text that opens a card, with what stands behind it. */
const COMMAND = /^\/(image|video|music)(?:@\w+)?(?=\s|$)\s*/;

/** The type that a text asks for by a command, and the text without it. */
export function readCommand(text: string): { type: GenerationType | undefined; words: string } {
  const match = COMMAND.exec(text);
  const type = match?.[1] as GenerationType | undefined;
  return { type, words: text.slice(match?.[0].length ?? 0) };
}

function compose(type: GenerationType): Feature {
  return {
    name: type,
    commands: [type],
    build({ cards }) {
      const openCard = async (ctx: CommandContext<BotContext>) => {
        const place = placeOf(ctx);
        const links = linksOf(ctx.match);
        const prompt = cleanText(ctx.match);
        const given = links ? { parameters: heldBack({}, links) } : { ...(prompt && { prompt }) };
        if (place) await cards.open(ctx.person, place, { type, messageId: ctx.msgId, ...given });
      };
      return { commands: { [type]: openCard } };
    },
  };
}
