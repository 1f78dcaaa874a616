import type { CatalogueModel } from "../find-model.js";
import { differs, type Finding, note } from "../finding.js";
import { fieldFindings } from "./compare-fields.js";
import { priceListFindings } from "./compare-price-list.js";
import { priceFindings } from "./compare-prices.js";
import { type AskingOptions, openAsking } from "./open-asking.js";
import type { PublishedEntry } from "./published-model.js";
import { publisherOf } from "./publishers.js";
import { type SentToEndpoint, sentToEndpoints } from "./sent-requests.js";

export interface CatalogueCheckOptions extends Omit<AskingOptions, "hosts"> {
  entries: readonly CatalogueModel[];
  provider: string;
  say: (line: string) => void;
}

/**
 * Compares the mappings of a service with what it publishes. Makes nothing, and sends no key. Throws where the service
 * publishes nothing, or it cannot be read.
 * @returns true where no difference matters
 */
export async function checkCatalogue(options: CatalogueCheckOptions): Promise<boolean> {
  const { entries, provider, say } = options;
  const publisher = publisherOf(provider);
  const sent = sentToEndpoints(entries, provider);
  if (sent.length === 0) throw new Error(`the catalogue has no mapping of ${provider}`);
  say(`${provider}: compared with ${publisher.page}. Nothing is made, and no key is sent`);
  if (options.root) say(`Asked at ${options.root.origin}`);
  const asking = openAsking({ ...options, hosts: publisher.hosts });
  const endpoints = [...new Set(sent.map(({ endpoint }) => endpoint))];
  const published = await publisher.read(asking.ask, endpoints).finally(asking.close);
  let differing = 0;
  for (const one of sent) {
    const findings = findingsOf(one, published.get(one.endpoint) ?? { kind: "missing" });
    for (const line of shown(one, findings)) say(line);
    if (findings.some(({ matters }) => matters)) differing += 1;
  }
  if (publisher.notCompared) say(publisher.notCompared);
  say(
    differing === 0
      ? `As expected: ${sent.length} of ${sent.length}`
      : `Differs: ${differing} of ${sent.length}`,
  );
  return differing === 0;
}

/** Lists what stands against sending these requests. */
export function findingsOf(sent: SentToEndpoint, published: PublishedEntry): readonly Finding[] {
  switch (published.kind) {
    case "missing":
      return [differs("the service does not list it")];
    case "unreadable":
      return [differs(`its entry cannot be read: ${published.reason}`)];
    case "untold":
      return [note(published.reason)];
    case "model":
      return [
        ...(published.model.notes ?? []).map(note),
        ...fieldFindings(sent, published.model),
        ...priceFindings(sent, published.model),
        ...priceListFindings(sent, published.model),
      ];
  }
}

function shown({ model_key, endpoint }: SentToEndpoint, findings: readonly Finding[]): readonly string[] {
  const title = `${model_key} by ${endpoint}`;
  if (findings.length === 0) return [`${title}: as expected`];
  return [title, ...findings.map(({ matters, text }) => `  ${matters ? "DIFFERS" : "note"}: ${text}`)];
}
