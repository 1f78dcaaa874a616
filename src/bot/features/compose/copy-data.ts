import { callbackData, readNatural } from "../../telegram/callback-data.js";

export interface CopyData {
  orderId: string;
  index: number;
}

/** Format: `w:<order>:<index>`. The words are in the message that the button's message replies to. */
export const copyData = callbackData<CopyData>({
  prefix: "w",
  encode: ({ orderId, index }) => [orderId, index],
  decode([orderId = "", position, ...rest]) {
    const index = readNatural(position);
    if (index === undefined || rest.length > 0 || !/^[A-Za-z0-9_-]{1,40}$/.test(orderId)) return undefined;
    return { orderId, index };
  },
});
