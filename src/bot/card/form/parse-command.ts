import type { GenerationType } from "../../../contract/model.js";

const COMMAND = /^\/(image|video|music)(?:@\w+)?(?=\s|$)\s*/;

export function readCommand(text: string): { type: GenerationType | undefined; words: string } {
  const match = COMMAND.exec(text);
  const type = match?.[1] as GenerationType | undefined;
  return { type, words: text.slice(match?.[0].length ?? 0) };
}
