/** What a button of a delivered order asks for. */
export interface OrderData {
  orderId: string;
  action: "original" | "again";
}

const LETTERS = { original: "o", again: "a" } as const;
const SHAPE = /^r:([A-Za-z0-9_-]{1,40}):([oa])$/;

/** Writes the callback data of a button: `r:<order>:<action>`. */
export function writeOrderData({ orderId, action }: OrderData): string {
  return `r:${orderId}:${LETTERS[action]}`;
}

/** Reads callback data; anything that no delivery has written is `undefined`. */
export function readOrderData(data: string): OrderData | undefined {
  const [, orderId, letter] = SHAPE.exec(data) ?? [];
  if (orderId === undefined) return undefined;
  return { orderId, action: letter === "o" ? "original" : "again" };
}
