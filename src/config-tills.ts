import {
  integerBetween,
  oneOf,
  optional,
  reader,
  rootAddress,
  rubles,
  secret,
  sums,
  variable,
} from "./config-readers.js";

const shopId = reader("the id of the shop: digits alone", (given) =>
  /^\d{1,20}$/.test(given) ? given : undefined,
);

/** Variables of the tills beside Stars. */
export const TILL_VARIABLES = {
  TILL: optional(
    oneOf(["yookassa"]),
    "none",
    "`yookassa`: top-ups by card and SBP beside Stars, where accounts are here (`CORE=embedded`). Telegram’s terms allow Stars alone for digital goods: see [payments.md](payments.md#cards-and-sbp-by-yookassa)",
  ),
  TOPUP_RUB: variable(sums, "300,500,1000", "Sums that `TILL` offers, in rubles; people may type others"),
  TOPUP_MIN_RUB: variable(
    rubles,
    "50",
    "The smallest sum that `TILL` sells; an order that lacks less is offered this",
  ),
  TOPUP_MAX_RUB: variable(rubles, "15000", "The largest sum that `TILL` sells"),
  YOOKASSA_SHOP_ID: optional(shopId, "none", "The id of the shop at YooKassa (shopId)"),
  YOOKASSA_SECRET_KEY: secret("none", "The secret key of that shop"),
  YOOKASSA_API_ROOT: optional(
    rootAddress,
    "YooKassa's own",
    "Where YooKassa is called: a proxy or a stand-in",
  ),
  YOOKASSA_VAT_CODE: optional(
    integerBetween(1, 12),
    "none: no receipts",
    "The VAT code of receipts (54-FZ), 1 for no VAT; people are asked for an e-mail address or a telephone number",
  ),
  YOOKASSA_TAX_SYSTEM: optional(
    integerBetween(1, 6),
    "none",
    "The tax system code of receipts, where the shop needs one",
  ),
  YOOKASSA_PAYMENT_MODE: variable(
    oneOf(["full_payment", "full_prepayment", "advance"]),
    "full_payment",
    "What receipts call the payment: `full_payment`, `full_prepayment` or `advance`",
  ),
};

/** A value that could not be read is absent. */
interface TillValues {
  TILL: "yookassa" | undefined;
  CORE: "embedded" | "api";
  TOPUP_RUB: readonly number[] | undefined;
  TOPUP_MIN_RUB: number | undefined;
  TOPUP_MAX_RUB: number | undefined;
  YOOKASSA_SHOP_ID: string | undefined;
  YOOKASSA_SECRET_KEY: string | undefined;
}

/** Lists one line for each value that `TILL` lacks or that contradicts another. */
export function tillConflicts(values: TillValues): string[] {
  if (values.TILL === undefined) return [];
  const {
    TOPUP_RUB: given = [],
    TOPUP_MIN_RUB: min = 100,
    TOPUP_MAX_RUB: max = Number.POSITIVE_INFINITY,
  } = values;
  const problems: string[] = [];
  if (values.CORE === "api") problems.push("TILL: works where accounts are, which is not with CORE=api");
  for (const name of ["YOOKASSA_SHOP_ID", "YOOKASSA_SECRET_KEY"] as const)
    if (!values[name]) problems.push(`${name}: must be set when TILL=yookassa`);
  if (min < 100 || min > max) problems.push("TOPUP_MIN_RUB: must be at least 1 and at most TOPUP_MAX_RUB");
  if (given.some((sum) => sum < min || sum > max))
    problems.push("TOPUP_RUB: each sum must be from TOPUP_MIN_RUB to TOPUP_MAX_RUB");
  return problems;
}
