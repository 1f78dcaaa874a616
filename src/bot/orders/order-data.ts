import { callbackData, readNatural } from "../telegram/callback-data.js";

const LETTERS = {
  original: "o",
  /** A new link to a file that is too large. */
  link: "l",
  again: "a",
  deliver: "d",
  another: "n",
  /** Restores the result's buttons after the question which picture to use. */
  actions: "b",
  restyle: "s",
  edit: "e",
  animate: "m",
} as const;

export type OrderAction = keyof typeof LETTERS;
export type PictureAction = "edit" | "animate";

export interface OrderData {
  orderId: string;
  action: OrderAction;
  /** The picture of an album: the position of its job in the order. */
  index?: number;
}

const ACTIONS = new Map(Object.entries(LETTERS).map(([action, letter]) => [letter as string, action]));

/** The buttons of an order: `r:<order>:<action>[:<index>]`. */
export const orderData = callbackData<OrderData>({
  prefix: "r",
  encode: ({ orderId, action, index }) => [orderId, LETTERS[action], ...(index === undefined ? [] : [index])],
  decode([orderId = "", letter = "", position, ...rest]) {
    const action = ACTIONS.get(letter) as OrderAction | undefined;
    const index = readNatural(position);
    const isWhole = rest.length === 0 && (position === undefined || index !== undefined);
    if (!action || !isWhole || !/^[A-Za-z0-9_-]{1,40}$/.test(orderId)) return undefined;
    return { orderId, action, ...(index === undefined ? {} : { index }) };
  },
});
