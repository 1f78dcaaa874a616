import type { Json } from "../catalogue/json.js";
import type { Refusal } from "./adapter.js";
import { refused } from "./judge-status.js";

/**
 * Fields beside a file that say that a safety checker has put something else in its place. Sources: fal.ai models'
 * OpenAPI (`has_nsfw_concepts`), docs.x.ai (`respect_moderation`), Vertex AI (`raiMediaFilteredCount`); the others are
 * those of models at Replicate and of nodes of ComfyUI.
 */
const FLAGS: ReadonlySet<string> = new Set([
  ...[
    "has_nsfw_concepts",
    "has_nsfw_concept",
    "has_nsfw",
    "nsfw_content_detected",
    "nsfw_detected",
    "nsfw",
    "is_nsfw",
  ],
  ...["nsfw_flag", "flagged", "safety_flagged", "content_filtered", "is_blocked"],
]);
const FILTERED_COUNTS: ReadonlySet<string> = new Set(["raiMediaFilteredCount", "rai_media_filtered_count"]);
const DEPTH_MAX = 4;
const ITEMS_MAX = 20;

/** Turns a finished task into a refusal where its document flags what it made. */
export function unlessFlagged<T extends { kind: string }>(outcome: T): T | Refusal {
  const { kind, document, cost } = outcome as { kind: string; document?: Json; cost?: Refusal["cost"] };
  if (kind !== "ready" || document === undefined) return outcome;
  const flag = flagIn(document, 0);
  return flag === undefined
    ? outcome
    : { ...refused(`the service flags what it made: ${flag}`, "policy"), ...(cost && { cost }) };
}

function flagIn(node: Json, depth: number): string | undefined {
  if (typeof node !== "object" || node === null || depth > DEPTH_MAX) return undefined;
  if (Array.isArray(node)) {
    for (const item of node.slice(0, ITEMS_MAX)) {
      const found = flagIn(item, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  for (const [name, value] of Object.entries(node)) {
    if (isFlag(name, value)) return name;
    const found = flagIn(value, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isFlag(name: string, value: Json): boolean {
  if (name === "respect_moderation") return value === false;
  if (FILTERED_COUNTS.has(name)) return typeof value === "number" && value > 0;
  if (!FLAGS.has(name)) return false;
  return Array.isArray(value) ? value.some((one) => one === true) : value === true;
}
