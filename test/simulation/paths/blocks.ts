import type { SimPath } from "./path.js";

/** People block the bot while it makes what they paid for, and come back. */
export const blocks: SimPath = {
  actsOf: ({ someone }) => [[8, () => someone().blockOrReturn()]],
  planted: { "a delivery that is not resumed when its person is back": { omitted: "delivery-unpark" } },
};
