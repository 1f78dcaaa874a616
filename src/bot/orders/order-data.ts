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
  /** The same request on another model. */
  model: "x",
} as const;

export type OrderAction = keyof typeof LETTERS;
export type PictureAction = "edit" | "animate";

export interface OrderData {
  orderId: string;
  action: OrderAction;
  /** The picture of an album: the position of its job in the order. */
  index?: number;
  /** Price of a further take, and how many were ordered before. Older messages have a button without it. */
  take?: { kopecks: number; number: number };
}

const ACTIONS = new Map(Object.entries(LETTERS).map(([action, letter]) => [letter as string, action]));

/** The buttons of an order: `r:<order>:<action>[:<index>]`, of a further take `r:<order>:n:<kopecks>:<number>`. */
export const orderData = callbackData<OrderData>({
  prefix: "r",
  encode: ({ orderId, action, index, take }) => [
    orderId,
    LETTERS[action],
    ...(index === undefined ? [] : [index]),
    ...(take === undefined ? [] : [take.kopecks, take.number]),
  ],
  decode([orderId = "", letter = "", ...fields]) {
    const action = ACTIONS.get(letter) as OrderAction | undefined;
    const numbers = fields.map(readNatural);
    if (!action || !/^[A-Za-z0-9_-]{1,40}$/.test(orderId)) return undefined;
    const [first, second] = numbers;
    if (fields.length === 0) return { orderId, action };
    if (fields.length === 1 && first !== undefined) return { orderId, action, index: first };
    const isTake = action === "another" && fields.length === 2;
    if (!isTake || first === undefined || second === undefined) return undefined;
    return { orderId, action, take: { kopecks: first, number: second } };
  },
});
