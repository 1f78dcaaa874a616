import { join } from "node:path";
import { NoticeQueue } from "../../src/ports/operator-notices.js";
// The first file of a service loads it, from the real disk.
import "mediabunny";
import { createRemoteService } from "../../src/client/remote-service.js";
import { openLocalMedia } from "../../src/media/local-media.js";
import { PublishedReferences } from "../../src/media/published-references.js";
import { plantInAgent } from "./planted.js";
import { SimAgent } from "./sim-agent.js";
import { API_URL } from "./sim-api.js";
import type { CoreParts, SimCore } from "./sim-core.js";

/** `CORE=api`: the front-end of a Generation API elsewhere, with one account for everybody. */
export function openFrontEnd({ around, isDead, ...parts }: CoreParts): SimCore {
  const { directory, disk, api, planted } = around;
  const { ids, failPoint, clock } = parts;
  const random = around.random.fork();
  const media = openLocalMedia({ disk, directory: join(directory, "references"), ids, failPoint });
  const service = createRemoteService({
    notices: new NoticeQueue(),
    ...parts,
    baseUrl: API_URL,
    apiKey: "the-key-of-the-simulation",
    references: new PublishedReferences({
      ...parts,
      media,
      publicUrl: "https://front.example",
      linkSecret: "0123456789abcdef0123456789abcdef",
    }),
    pollIntervalMs: 2000,
    open: () => plantInAgent(new SimAgent({ host: api, clock, random, failPoint, isDead }), planted),
  });
  return { service, start: () => service.start(), stop: () => service.stop() };
}
