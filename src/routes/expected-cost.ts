import type { GenerationRequest } from "../contract/request.js";
import type { Cost } from "./operation.js";
import type { CostTable, Route } from "./route.js";

/** What the catalogue expects a request to cost; undefined where it does not say. */
export function expectedCost({ cost }: Route, request: GenerationRequest): Cost | undefined {
  if (!cost) return undefined;
  let node: CostTable | undefined = cost.amount;
  for (const field of cost.by) {
    const key: string = String(request[field] ?? "");
    node = typeof node === "object" && Object.hasOwn(node, key) ? node[key] : undefined;
  }
  const units = cost.per === "second" ? request.duration_sec : 1;
  if (typeof node !== "number" || typeof units !== "number") return undefined;
  return { amount: Number((node * units).toFixed(6)), currency: cost.currency, source: "catalogue" };
}
