import type { CommandContext } from "grammy";
import type { GenerationType } from "../../contract/model.js";
import { type BotContext, placeOf } from "../context.js";
import type { Parameters } from "../create/form.js";
import { type LinkFault, readLinks } from "../create/links.js";
import { refusalText } from "../create/need-text.js";
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
        const { refusal, ...given } = beginningOf(ctx.match);
        if (refusal) await ctx.reply(refusalText(refusal, ctx.language));
        if (place) await cards.open(ctx.person, place, { type, messageId: ctx.msgId, ...given });
      };
      return { commands: { [type]: openCard } };
    },
  };
}

/** What a card begins with by the words behind its command; links that are not taken leave it empty. */
function beginningOf(words: string): { parameters?: Parameters; prompt?: string; refusal?: LinkFault } {
  const found = readLinks(words);
  if (found?.kind === "links") return { parameters: heldBack({}, found.links) };
  if (found) return { refusal: found };
  const prompt = cleanText(words);
  return prompt ? { prompt } : {};
}
