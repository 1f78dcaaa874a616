import type { Cost } from "../../catalogue/operation.js";
import { differs, type Finding, note } from "./finding.js";

/** The tolerance of prices, which the services round. */
const TOLERANCE = 0.01;

/** Compares the cost that the service told with the finished task. */
export function costFindings(told: Cost | undefined, expected: Cost | undefined): Finding[] {
  if (!told && !expected) return [note("neither the service nor the catalogue tells what it cost")];
  if (!told) return [note("the answers do not tell the cost; the catalogue's price is recorded")];
  const said = `it cost ${told.amount} ${told.currency}`;
  if (!expected) return [note(`${said}; the catalogue tells no price`)];
  if (told.currency !== expected.currency)
    return [differs(`${said}, and the catalogue counts in ${expected.currency}`)];
  const isNear = Math.abs(told.amount - expected.amount) <= expected.amount * TOLERANCE;
  return isNear ? [] : [differs(`${said}, and the catalogue says ${expected.amount}`)];
}
