import type { Mapping } from "./mapping.js";
import { WORKFLOW_API } from "./workflow.js";

interface Interfaces {
  names: readonly string[];
  /** True where a mapping must name one. */
  isNeeded?: true;
}

/** Values that `api` of a mapping may have, by service. */
const INTERFACES: Readonly<Record<string, Interfaces>> = {
  generation_api: { names: [] },
  fal: { names: [] },
  kie: { names: ["market"] },
  polza: { names: [] },
  openai: { names: ["generations", "edits"] },
  replicate: { names: [] },
  comfyui: { names: [WORKFLOW_API], isNeeded: true },
  ace_step: { names: [] },
};

/** Tells what is wrong with the `api` of a mapping. Undefined where nothing is, and for an unknown service. */
export function interfaceProblem(service: string, { api }: Pick<Mapping, "api">): string | undefined {
  const known = Object.hasOwn(INTERFACES, service) ? INTERFACES[service] : undefined;
  if (!known || (api === undefined ? !known.isNeeded : known.names.includes(api))) return undefined;
  if (known.names.length === 0) return `${service} has one interface only: leave it out`;
  return `must be ${known.names.map((name) => JSON.stringify(name)).join(" or ")} at ${service}`;
}
