import type { StarsOffer } from "../../src/bot/payments/stars-till.js";
import { asKopecks } from "../../src/contract/price.js";

export const NO_STARS: StarsOffer = { packs: [], rateKopecks: undefined };

export const OFFER: StarsOffer = {
  packs: [
    { price: 50, kopecks: asKopecks(50_00) },
    { price: 250, kopecks: asKopecks(270_00) },
  ],
  rateKopecks: asKopecks(1_10),
};
