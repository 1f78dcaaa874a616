import { callbackData, readNatural } from "../../telegram/callback-data.js";

const STORY_ACTIONS = ["show", "files", "ask", "refund"] as const;

export interface StoryData {
  action: (typeof STORY_ACTIONS)[number];
  number: number;
}

/** Encodes `ao:<action>:<number of the order>`. */
export const storyData = callbackData<StoryData>({
  prefix: "ao",
  encode: ({ action, number }) => [action, number],
  decode([name, digits, ...rest]) {
    const action = STORY_ACTIONS.find((known) => known === name);
    const number = readNatural(digits);
    return action === undefined || number === undefined || rest.length > 0 ? undefined : { action, number };
  },
});
