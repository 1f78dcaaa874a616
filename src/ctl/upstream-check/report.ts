import type { Mapping } from "../../catalogue/mapping.js";
import type { CheapRequest } from "./cheapest.js";
import type { Checked } from "./check.js";
import type { Doubt } from "./unchecked.js";

/** Describes what is about to be sent, and what it costs at most as far as anybody knows. */
export function introduction(
  provider: string,
  cheap: CheapRequest,
  { doubts, root }: { doubts: readonly Doubt[]; root: URL | undefined },
): string[] {
  const { request, mapping } = cheap;
  const settings = Object.entries(request)
    .filter(([name]) => !["type", "model_key"].includes(name))
    .map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`);
  return [
    `${provider}: ${request.model_key} by ${mapping.endpoint}, one request`,
    ...settings,
    ...(root ? [`Sent to ${root.origin}`] : []),
    costLine(cheap),
    `Fields and endpoint were read at ${mapping.source}`,
    ...doubts.map(({ doubt }) => `Not known yet: ${doubt}`),
  ];
}

function costLine({
  cost,
  costRub,
  priceRub,
  mapping,
}: Pick<CheapRequest, "cost" | "costRub" | "priceRub"> & { mapping: Mapping }) {
  if (cost) {
    const rubles = costRub === undefined ? "" : `, about ${costRub} RUB`;
    return `It costs ${cost.amount} ${cost.currency}${rubles}, as the catalogue says`;
  }
  const price = priceRub === undefined ? "" : `; people pay ${priceRub} RUB for it here`;
  return `The catalogue does not know what it costs${price}. See ${mapping.source}`;
}

export function isAsExpected({ failure, findings }: Pick<Checked, "failure" | "findings">): boolean {
  return failure === undefined && findings.every(({ matters }) => !matters);
}

export function verdict(checked: Checked): string[] {
  const { failure, findings, reference } = checked;
  const differing = findings.filter(({ matters }) => matters);
  const where = reference ? [`The task at the service: ${JSON.stringify(reference)}`] : [];
  if (failure !== undefined) return [`Not made: ${failure}`, ...where];
  if (differing.length === 0) return ["Made, as expected"];
  return ["Made. What differs:", ...differing.map(({ text }) => `  ${text}`), ...where];
}
