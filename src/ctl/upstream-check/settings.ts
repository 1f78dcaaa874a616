import { existsSync } from "node:fs";
import { loadCatalogue } from "../../catalogue/catalogue.js";
import { systemClock } from "../../platform/clock.js";
import { systemIds } from "../../platform/ids.js";
import type { AgentOptions } from "../../platform/outgoing-agent.js";
import { FileInspector } from "../../providers/file-inspector.js";
import type { CheckSettings } from "./run.js";
import { readDoubts } from "./unchecked.js";

export interface ReadSettings {
  catalogueFile: string;
  key: string | undefined;
  apiRoot: string | undefined;
  proxy: NonNullable<AgentOptions["proxy"]>;
}

const DOUBTS_FILE = "data/unchecked.json";

/** Opens what a check needs of this machine. `close` ends the child process that judges files. */
export function openSettings({ catalogueFile, key, apiRoot, proxy }: ReadSettings) {
  const { entries, rates } = loadCatalogue(catalogueFile);
  const inspector = new FileInspector({ clock: systemClock });
  const settings: CheckSettings = {
    entries,
    rates,
    doubts: existsSync(DOUBTS_FILE) ? readDoubts(DOUBTS_FILE) : [],
    key: key ?? "",
    root: apiRoot === undefined ? undefined : new URL(apiRoot),
    agent: { proxy },
    inspector,
    clock: systemClock,
    ids: systemIds,
  };
  return { settings, close: () => inspector.close() };
}
