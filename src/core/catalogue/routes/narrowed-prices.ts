import type { Model, PriceTable } from "../../../contract/model.js";
import type { GenerationRequest } from "../../../contract/request.js";

/** The price table without the variants that the parameters, or all of the requests, leave out. */
export function narrowedPrices(
  { type, price_rub, parameters }: Model,
  requests: readonly GenerationRequest[],
): PriceTable {
  if (typeof price_rub === "number") return price_rub;
  const { generation_mode, resolution, duration_sec } = parameters;
  const levels: (readonly (string | number)[])[] = [];
  if (type === "image" && generation_mode) levels.push(generation_mode.values ?? [], columnsOf(requests));
  if (resolution) levels.push(resolution.values ?? []);
  if (type === "video") levels.push(duration_sec?.values ?? []);
  return narrowed(price_rub, levels);
}

function columnsOf(requests: readonly GenerationRequest[]): string[] {
  return ["text", "reference"].filter((column) =>
    requests.some((request) => (request.reference_urls !== undefined) === (column === "reference")),
  );
}

function narrowed<T extends PriceTable>(
  table: T,
  [names, ...rest]: readonly (readonly (string | number)[])[],
): T;
function narrowed(table: unknown, [names, ...rest]: readonly (readonly (string | number)[])[]): unknown {
  if (typeof table !== "object" || table === null || !names) return table;
  const kept = new Set(names.map(String));
  return Object.fromEntries(
    Object.entries(table)
      .filter(([name]) => kept.has(name))
      .map(([name, inner]) => [name, narrowed(inner, rest)]),
  );
}
