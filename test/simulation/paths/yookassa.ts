import { SimYookassa } from "../sim-yookassa.js";
import type { SimPath } from "./path.js";

/** People pay at a shop, beside Stars: each payment there is money once, whatever becomes of calls and notifications. */
export const yookassa: SimPath = {
  rulesOf: (random, clock) => ({ shop: new SimYookassa(clock, random) }),
  actsOf: ({ world, someone }) => [
    [10, () => someone().press(/^t:[ab]:yookassa:/, "/topup")],
    [
      10,
      () => {
        const shown = [...world.telegram.messages.values()].flatMap(({ urls }) => urls);
        return world.rules.shop?.act(shown) ?? "";
      },
    ],
  ],
  open: [
    "SELECT 1 FROM yookassa_payment WHERE state = 'open'",
    "SELECT 1 FROM yookassa_refund WHERE state = 'open'",
    "SELECT 1 FROM till_payment WHERE till = 'yookassa' AND state = 'refunding'",
  ],
  judge({ rules: { shop: world } }) {
    const invoices = world?.shop.payments.map(({ wanted }) => wanted.metadata?.invoice) ?? [];
    return new Set(invoices).size < invoices.length ? ["two payments of one invoice"] : [];
  },
  planted: {
    "a payment of a shop whose row is not written": { omitted: "yookassa:payment" },
    "a payment of a shop whose name is not kept": { omitted: "yookassa:named" },
    "a payment of a shop that is asked for with another key": { isShopKeyChanged: true },
    "a refund in a shop's cabinet that is not written": { omitted: "till:payment-refund" },
  },
};
