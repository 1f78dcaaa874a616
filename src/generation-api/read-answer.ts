import { z } from "zod";
import {
  CONTRACT_ERROR_CODES,
  ContractError,
  type ContractErrorCode,
  type ContractErrorDetail,
} from "../contract/errors.js";
import type { HttpAnswer } from "../platform/http-exchange.js";
import { amountRub, balanceRub } from "./bounds.js";
import { WrongAnswerError } from "./wrong-answer-error.js";

const envelope = z.looseObject({ ok: z.boolean() });
export type AnswerEnvelope = z.infer<typeof envelope>;

/** Reads the body as JSON in the shape of every API response; undefined for anything else. */
export function readEnvelope({ text, fault }: HttpAnswer): AnswerEnvelope | undefined {
  if (fault) return undefined;
  const result = envelope.safeParse(parseJson(text));
  return result.success ? result.data : undefined;
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const errorCode = z.enum(CONTRACT_ERROR_CODES);
const detail = z.object({
  allowed: z
    .array(z.union([z.string(), z.number()]))
    .optional()
    .catch(undefined),
  supported: z.array(z.string()).optional().catch(undefined),
  balance: balanceRub.optional().catch(undefined),
  cost_rub: amountRub.optional().catch(undefined),
});

/** Reads the section 7 error of a body. */
export function readContractError(body: AnswerEnvelope | undefined): ContractError | undefined {
  const code = errorCode.safeParse(body?.error);
  if (!code.success || body?.ok !== false) return undefined;
  return new ContractError(code.data satisfies ContractErrorCode, readDetail(body));
}

function readDetail(body: AnswerEnvelope): ContractErrorDetail {
  const { allowed, supported, balance, cost_rub } = detail.parse(body);
  return {
    ...(allowed && { allowed }),
    ...(supported && { supported }),
    ...(balance !== undefined && { balance }),
    ...(cost_rub !== undefined && { cost_rub }),
  };
}

/** Reads fields. Throws WrongAnswerError naming those that are wrong. */
export function readFields<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const fields = result.error.issues
    .slice(0, 5)
    .map(({ path, code }) => `${path.join(".") || "body"}: ${code}`);
  throw new WrongAnswerError(fields.join(", "));
}
