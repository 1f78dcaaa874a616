import type { CostTable, Mapping } from "../../../catalogue/mapping.js";
import { differs, type Finding, note } from "../finding.js";
import type { ListedPrice, PublishedModel } from "./published-model.js";
import { isNear, shownAmount } from "./published-price.js";
import type { SentToEndpoint } from "./sent-requests.js";

/** Names each price of a mapping that is none of those that the service lists for the model. */
export function priceListFindings(
  { usual }: Pick<SentToEndpoint, "usual">,
  { priceList }: Pick<PublishedModel, "priceList">,
): Finding[] {
  if (!priceList) return [];
  const costs = [...new Set(usual.map(({ mapping }) => mapping.cost))];
  const found = costs.flatMap((cost) => (cost ? costFindings(cost, priceList) : [untold(priceList)]));
  return [...new Map(found.map((finding) => [finding.text, finding])).values()];
}

function costFindings({ amount, currency, per }: NonNullable<Mapping["cost"]>, list: readonly ListedPrice[]) {
  const listed = list.filter((price) => price.per === per);
  if (listed.length === 0) return [note(`its prices are listed in another unit than by ${per}`)];
  return leavesOf(amount).flatMap(({ path, amount: ours }): Finding[] => {
    const expected = { amount: ours, currency };
    if (listed.some((price) => isNear(price, expected))) return [];
    const at = path.length > 0 ? `${path.join(" ")}: ` : "";
    return [
      differs(
        `${at}it lists ${amountsOf(listed)} by ${per}, and the catalogue says ${shownAmount(expected)}`,
      ),
    ];
  });
}

function untold(list: readonly ListedPrice[]): Finding {
  const units = [...new Set(list.map(({ per }) => per))];
  const told = units.map((per) => `${amountsOf(list.filter((price) => price.per === per))} by ${per}`);
  return note(`it lists ${told.join(" and ")}, and the mapping tells no cost`);
}

function amountsOf(list: readonly ListedPrice[]): string {
  const amounts = [...new Set(list.map(({ amount }) => amount))].sort((one, other) => one - other);
  return amounts.join(", ");
}

/** Lists the amounts of a table, with the values that lead to each. */
function leavesOf(table: CostTable): readonly { path: readonly string[]; amount: number }[] {
  if (typeof table === "number") return [{ path: [], amount: table }];
  return Object.entries(table).flatMap(([value, inner]) =>
    leavesOf(inner).map(({ path, amount }) => ({ path: [value, ...path], amount })),
  );
}
