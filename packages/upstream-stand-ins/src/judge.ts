import type { z } from "zod";
import type { Json } from "./call.js";

/** What is wrong with one field of a request. */
export interface Problem {
  field: string;
  kind: "missing" | "type" | "choice" | "short" | "long" | "small" | "large" | "rule";
  /** The limit, or the choices, in words. */
  expected: string;
}

export interface Judgement {
  problems: readonly Problem[];
  /** Fields that the service does not know: it drops them without a word. */
  unknown: readonly string[];
}

/** A rule over several fields, such as "lyrics unless instrumental". */
export type Rule = (input: Json) => Problem | undefined;

/** Judges an input by a schema that was written from the service's own reference. */
export function judge(
  { schema, rules = [] }: { schema: z.ZodObject; rules?: readonly Rule[] },
  input: Json,
): Judgement {
  const unknown = Object.keys(input).filter((name) => !(name in schema.shape));
  const result = schema.safeParse(input);
  const problems = result.success ? [] : result.error.issues.map((issue) => problemOf(issue, input));
  const broken =
    problems.length > 0 ? [] : rules.map((rule) => rule(input)).filter((found) => found !== undefined);
  return { problems: [...problems, ...broken], unknown };
}

function problemOf(issue: z.core.$ZodIssue, input: Json): Problem {
  const field = issue.path.join(".");
  if (issue.path.length === 1 && input[field] === undefined) return { field, kind: "missing", expected: "" };
  switch (issue.code) {
    case "invalid_value":
      return {
        field,
        kind: "choice",
        expected: issue.values.map((value) => `'${String(value)}'`).join(", "),
      };
    case "too_small":
      return {
        field,
        kind: issue.origin === "number" || issue.origin === "int" ? "small" : "short",
        expected: `${issue.minimum}`,
      };
    case "too_big":
      return {
        field,
        kind: issue.origin === "number" || issue.origin === "int" ? "large" : "long",
        expected: `${issue.maximum}`,
      };
    case "invalid_type":
      return { field, kind: "type", expected: issue.expected };
    default:
      return { field, kind: "rule", expected: issue.message };
  }
}
