import { falSchemas } from "./fal.js";
import { kiePrices } from "./kie.js";
import { polzaCatalogue } from "./polza.js";
import type { Publisher } from "./publisher.js";

/** The publishers by service. */
export const PUBLISHERS: Readonly<Record<string, Publisher>> = {
  fal: falSchemas,
  kie: kiePrices,
  polza: polzaCatalogue,
};

const OWN = "its models are those that its operator has";
const NEEDS_KEY = "it shows its models only with a key";

/** Reasons why the others cannot be compared. */
const UNPUBLISHED: Readonly<Record<string, string>> = {
  openai: NEEDS_KEY,
  replicate: NEEDS_KEY,
  comfyui: `${OWN}; npm run ctl -- catalogue check --live asks it for nodes and files`,
  ace_step: OWN,
  generation_api: NEEDS_KEY,
};

/** Returns the publisher. Throws where the service publishes no catalogue. */
export function publisherOf(service: string): Publisher {
  const publisher = Object.hasOwn(PUBLISHERS, service) ? PUBLISHERS[service] : undefined;
  if (publisher) return publisher;
  const reason = UNPUBLISHED[service] ?? NEEDS_KEY;
  const others = Object.keys(PUBLISHERS).join(", ");
  throw new Error(`${service} publishes no catalogue to compare with: ${reason}. ${others} publish one`);
}
