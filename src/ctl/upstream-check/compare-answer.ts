import { isSuccess, readJson } from "../../providers/judge-status.js";
import { documentedAnswer } from "./documented.js";
import { differs, type Finding, note } from "./finding.js";
import type { ReadAnswer } from "./watch-adapter.js";

/** Headers by which services tell what a result costs. */
const COST_HEADERS: Readonly<Record<string, string>> = { fal: "x-fal-billable-units" };

/** Lists in what an answer is not as documented or not understood. A refusal or a failure is told by the verdict. */
export function answerFindings(service: string, { answer, outcome, reference }: ReadAnswer): Finding[] {
  if (outcome.kind === "glitch")
    return [differs(`the adapter does not understand this answer: ${outcome.detail}`)];
  if (outcome.kind === "ready" && !reference) return [];
  const isGood = ["accepted", "pending", "next", "ready"].includes(outcome.kind);
  const schema = isGood && isSuccess(answer) ? documentedAnswer(service, reference) : undefined;
  const issues = schema?.safeParse(readJson(answer)).error?.issues ?? [];
  const header = COST_HEADERS[service];
  if (outcome.kind === "ready" && header !== undefined && !answer.headers.has(header))
    return [differs(`the result has no header ${header}`)];
  return issues.map((issue) => {
    const path = issue.path.join(".") || "the answer";
    if (issue.code !== "unrecognized_keys") return differs(`${path}: ${issue.message}`);
    return note(`${path} has fields that no page names: ${issue.keys.join(", ")}`);
  });
}
