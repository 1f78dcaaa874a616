import { z } from "zod";
import type { Balance } from "../ports/gateway.js";
import { balanceRub } from "./bounds.js";
import { readFields } from "./read-answer.js";

const balanceAnswer = z.object({ balance: z.object({ currency: z.literal("RUB"), amount: balanceRub }) });

/** Throws WrongAnswerError, also for another currency. */
export function readBalance(body: unknown): Balance {
  return readFields(balanceAnswer, body).balance;
}
