import type { Facts } from "./facts.js";
import { judgeEmbedded } from "./judge-embedded.js";
import { judgeFrontEnd } from "./judge-front-end.js";
import { readRows } from "./rows.js";

/** What is wrong after everything has come to rest; empty where nothing is. */
export function judge(facts: Facts): string[] {
  const rows = readRows(facts.reader);
  return facts.way === "embedded" ? judgeEmbedded(rows, facts) : judgeFrontEnd(rows, facts);
}
