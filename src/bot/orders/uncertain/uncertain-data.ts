import { callbackData, readNatural } from "../../telegram/callback-data.js";

const LETTERS = { list: "l", show: "o", charged: "c", not_charged: "n", surely_not_charged: "y" } as const;

export type UncertainAction = keyof typeof LETTERS;

/** `number`: the page of the list, or the order's number. */
export interface UncertainData {
  action: UncertainAction;
  number: number;
}

const ACTIONS = new Map(Object.entries(LETTERS).map(([action, letter]) => [letter as string, action]));

/** Encodes the buttons of admins for orders of unknown outcome: `u:<action>:<number>`. */
export const uncertainData = callbackData<UncertainData>({
  prefix: "u",
  encode: ({ action, number }) => [LETTERS[action], number],
  decode([letter = "", digits, ...rest]) {
    const action = ACTIONS.get(letter) as UncertainAction | undefined;
    const number = readNatural(digits);
    return action && number !== undefined && rest.length === 0 ? { action, number } : undefined;
  },
});
