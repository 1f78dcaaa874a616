import type { Command } from "commander";
import { rublesOf } from "../contract/money.js";
import { parseDay } from "../platform/calendar-day.js";
import type { PromoCode } from "../ports/promo.js";
import { CommandError } from "./command-error.js";
import type { Context } from "./context.js";
import { table } from "./text.js";
import { isoTime, readAmount } from "./values.js";

interface CreateOptions {
  rub: string;
  uses: string;
  until: string;
}

const USES_MAX = 1_000_000;

/** Adds `promo create` and `promo list`. */
export function promoCommands(program: Command, context: Context): void {
  const promo = program.command("promo").description("codes that people of the chat type for a credit");

  promo
    .command("create <CODE>")
    .description("make a code, in any case; each person can use it once")
    .requiredOption("--rub <RUB>", "what a person gets")
    .requiredOption("--uses <N>", "how many people can use it")
    .requiredOption("--until <DATE>", "its last day (UTC), such as 2026-12-31")
    .action(async (code: string, { rub, uses, until }: CreateOptions) => {
      const terms = {
        code,
        kopecks: readAmount(rub),
        usesMax: readUses(uses),
        validUntil: readDayEnd(until),
      };
      const made = await context.withPromoCodes((admin) => admin.create(terms));
      context.answer({
        json: promoJson(made),
        text: `${made.code} can be used until the end of ${dayBefore(made.validUntil)} (UTC)`,
      });
    });

  promo
    .command("list")
    .description("the codes, the newest first")
    .action(async () => {
      const found = await context.withPromoCodes((admin) => admin.list());
      const rows = found.map((one) => {
        const { code, rub, uses, uses_max } = promoJson(one);
        return [code, rub, uses, uses_max, dayBefore(one.validUntil)];
      });
      context.answer({
        json: found.map(promoJson),
        text: table(["code", "rub", "uses", "of", "last day"], rows),
      });
    });
}

function readUses(text: string): number {
  const uses = /^[1-9]\d{0,6}$/.test(text) ? Number(text) : Number.NaN;
  if (!(uses <= USES_MAX))
    throw new CommandError(`${JSON.stringify(text)} is no number of uses from 1 to ${USES_MAX}`);
  return uses;
}

/** Returns the last day (UTC) before a moment, such as `2026-12-31`. */
function dayBefore(ms: number): string {
  return isoTime(ms - 1).slice(0, 10);
}

/** Reads a day as the moment at which it is over, in UTC. */
function readDayEnd(text: string): number {
  const start = parseDay(text);
  if (start === undefined) throw new CommandError(`${JSON.stringify(text)} is no day such as 2026-12-31`);
  return start + 24 * 60 * 60 * 1000;
}

function promoJson({ code, kopecks, uses, usesMax, validUntil }: PromoCode) {
  return {
    code,
    rub: rublesOf(kopecks),
    uses,
    uses_max: usesMax,
    until: isoTime(validUntil),
  };
}
