import type { Kopecks } from "../../contract/money.js";
import type { Integer } from "../../platform/integer.js";

/** `given` at first contact, or `offered` there and `taken` by a tap. */
export type WelcomeState = "given" | "offered" | "taken";

/** Welcome credit of an account, which has at most one, also after its person was forgotten. */
export interface WelcomeCreditRow {
  account_id: number;
  kopecks: Kopecks;
  state: WelcomeState;
  /** Time of the first contact, in ms since the epoch. */
  at: Integer;
}

declare module "../../database/schema.js" {
  interface Schema {
    welcome_credit: WelcomeCreditRow;
  }
}
