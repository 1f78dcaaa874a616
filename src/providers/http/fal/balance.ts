import { z } from "zod";
import type { HttpAnswer } from "../../../platform/http-exchange.js";
import type { BalanceQuestion } from "../adapter.js";
import { isSuccess, numeric, readJson } from "../judge-status.js";

const billing = z.looseObject({
  credits: z.looseObject({ current_balance: numeric, currency: z.literal("USD") }),
});

/**
 * Source of the first: https://fal.ai/docs/platform-apis/v1/account/billing, which only keys with the admin scope may
 * ask. The second answers every key with a bare number of dollars, and is documented nowhere.
 */
export const FAL_BALANCE: readonly BalanceQuestion[] = [
  {
    call: { method: "GET", url: "https://api.fal.ai/v1/account/billing?expand=credits" },
    read: (answer) => read(answer, billing)?.credits.current_balance,
  },
  {
    call: { method: "GET", url: "https://rest.fal.ai/billing/user_balance" },
    read: (answer) => read(answer, numeric),
  },
];

function read<T>(answer: HttpAnswer, schema: z.ZodType<T>): T | undefined {
  return isSuccess(answer) ? schema.safeParse(readJson(answer)).data : undefined;
}
