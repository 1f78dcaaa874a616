import type { Catalogue } from "../catalogue.js";
import { activeProvidersOf, type ListedProvider, providersOf } from "../choose-provider.js";

/** Counts the active models that a provider makes, and those of them that nobody takes jobs for now. */
export function coverageOf(
  { entries }: Pick<Catalogue, "entries">,
  listed: readonly ListedProvider[],
  name: string,
): { count: number; off: number } {
  const made = entries.filter(
    (entry) =>
      entry.status === "active" && providersOf(entry, listed).some((provider) => provider.name === name),
  );
  return {
    count: made.length,
    off: made.filter((entry) => activeProvidersOf(entry, listed).length === 0).length,
  };
}
