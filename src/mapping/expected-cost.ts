import type { GenerationRequest } from "../contract/request.js";
import type { CostTable, Mapping } from "./mapping.js";
import type { Cost } from "./operation.js";

/** Returns what the catalogue expects a request to cost; undefined where it does not say. */
export function expectedCost({ cost }: Mapping, request: GenerationRequest): Cost | undefined {
  if (!cost) return undefined;
  let node: CostTable | undefined = cost.amount;
  for (const field of cost.by) {
    const key: string = String(request[field] ?? "");
    node = typeof node === "object" && Object.hasOwn(node, key) ? node[key] : undefined;
  }
  const units = unitsOf(cost.per, request.duration_sec);
  if (typeof node !== "number" || units === undefined) return undefined;
  return { amount: Number((node * units).toFixed(6)), currency: cost.currency, source: "catalogue" };
}

function unitsOf(per: NonNullable<Mapping["cost"]>["per"], seconds: unknown): number | undefined {
  if (per === "task") return 1;
  if (typeof seconds !== "number") return undefined;
  return per === "second" ? seconds : Math.ceil(seconds / 60);
}
