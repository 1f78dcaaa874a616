import { z } from "zod";
import type { Json } from "../../../mapping/json.js";

const NAMES: ReadonlySet<string> = new Set(["seed", "noise_seed"]);

const node = z.looseObject({ inputs: z.record(z.string(), z.json()) });

/** Gives the seeds of a graph other values; undefined where it has none. One that is a link is another node's. */
export function withOtherSeeds(
  graph: Readonly<Record<string, Json>>,
): Readonly<Record<string, Json>> | undefined {
  let isChanged = false;
  const changed = Object.entries(graph).map(([id, given]) => {
    const parsed = node.safeParse(given).data;
    if (!parsed) return [id, given] as const;
    const inputs = Object.entries(parsed.inputs).map(([name, value]) => {
      if (!NAMES.has(name) || typeof value !== "number") return [name, value] as const;
      isChanged = true;
      return [name, value === 0 ? 1 : value - 1] as const;
    });
    return [id, { ...parsed, inputs: Object.fromEntries(inputs) } as Json] as const;
  });
  return isChanged ? Object.fromEntries(changed) : undefined;
}
