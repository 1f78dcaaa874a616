import { basename, extname, join } from "node:path";
import { lastRestore } from "../../src/backup/swap.js";
import { isOrderOpen } from "../../src/bot/orders/order.js";
import type { UpstreamFile } from "../../src/catalogue/operation.js";
import { asKopecks } from "../../src/contract/price.js";
import { createEmbeddedService } from "../../src/core/embedded-service.js";
import { openLocalMedia } from "../../src/media/reference-store.js";
import type { ExchangeOptions } from "../../src/platform/http-exchange.js";
import { NoticeQueue } from "../../src/ports/operator-notices.js";
import type { UpstreamAdapter } from "../../src/providers/adapter.js";
import { HttpProvider } from "../../src/providers/http-provider.js";
import { KeptAnswers, ReferenceSpool } from "../../src/providers/reference-spool.js";
import type { HttpProviderOptions } from "../../src/providers/service.js";
import { fal } from "../../src/providers/services/fal.js";
import { kie } from "../../src/providers/services/kie.js";
import type { GeneratedFile } from "../../src/workers/worker-pool.js";
import { ALONE, SETTINGS } from "../support/core-settings.js";
import type { MemoryDisk } from "./memory-disk.js";
import { plantInExchange, plantInRules } from "./planted.js";
import type { SimCallbacks } from "./sim-callbacks.js";
import type { CoreParts, SimCore } from "./sim-core.js";

export const WELCOME_KOPECKES = asKopecks(300_00);

const MIME: Readonly<Record<string, string>> = { ".mp4": "video/mp4", ".mp3": "audio/mpeg" };

/** fal answers nothing that has to be kept. Calls of the real disk would end in no order. */
class NoAnswers extends KeptAnswers {
  override async read(): Promise<undefined> {}
  override async remove(): Promise<void> {}
  override async removeOld(): Promise<void> {}
}

/** The whole service in this process, with fal and a renderer. */
export function openEmbedded({ around, database, whileAlive, ...parts }: CoreParts): SimCore {
  const { directory, disk, fal: world, renderer, planted, offers, rules } = around;
  const given = plantInRules(rules, planted);
  const { moderation, kie: beside, callbacks, inviteSums, orderLimits, welcomeGuard } = given;
  const { clock, ids, failPoint } = parts;
  const optionsOf = (adapter: UpstreamAdapter, exchange: HttpProviderOptions["exchange"] & object) => ({
    ...parts,
    adapter,
    key: "the-key-of-the-simulation",
    settings: { concurrency: 4 },
    callbackUrl: callbacks && `https://front.example/hooks/${adapter.name}`,
    references: {
      publish: async (paths: readonly string[]) => paths.map((path) => `https://fal.media/${basename(path)}`),
    },
    outputs: {
      fetch: (files: readonly UpstreamFile[], folder: string) => fetchFiles(disk, files, folder),
    },
    exchange: (options: ExchangeOptions) => whileAlive(() => plantInExchange(exchange, planted)(options)),
    database,
    spool: new ReferenceSpool(join(directory, "references.spool")),
    notices: new NoticeQueue(),
    answers: new NoAnswers(join(directory, "answers")),
  });
  const services = [
    new HttpProvider(optionsOf(fal, (options) => world.exchange(options, failPoint))),
    ...(beside
      ? [new HttpProvider(optionsOf(kie, (options) => beside.exchange(options, failPoint, callbacks)))]
      : []),
  ];
  if (callbacks) hear(callbacks, services, parts.isDead, (since) => disk.hasRoomSince(since));
  const service = createEmbeddedService({
    ...parts,
    database,
    offers,
    providers: [...services, renderer.providerOf(clock)],
    media: openLocalMedia(disk, join(directory, "media"), ids, failPoint),
    identityKind: "telegram",
    settings: {
      ...SETTINGS,
      welcomeCreditKopecks: WELCOME_KOPECKES,
      ...(inviteSums && { inviteSums }),
      ...(orderLimits && { orderLimits }),
      ...(welcomeGuard && { welcomeGuard }),
    },
    ...ALONE,
    restoredJobId: lastRestore(database)?.last_job_id,
    ...(moderation && { moderation }),
    linkSecret: "0123456789abcdef0123456789abcdef",
    isOrderOpen,
    notices: new NoticeQueue(),
  });
  return {
    service,
    async start() {
      for (const provider of services) await provider.start(service.providerHost);
      await service.start();
    },
    async stop() {
      await service.stop();
      await Promise.all(services.map((provider) => provider.close()));
    },
  };
}

/** As `/hooks/NAME/TOKEN` does it. A dead process hears nothing. */
function hear(
  callbacks: SimCallbacks,
  services: readonly HttpProvider[],
  isDead: () => boolean,
  isQuietSince: (since: number) => boolean,
): void {
  callbacks.isQuietSince = (since) => isQuietSince(since) && !isDead();
  callbacks.deliver = (name, token) => {
    if (!isDead()) services.find((service) => service.name === name)?.callbacks.take(token);
  };
}

/** The content of a file is its address. */
async function fetchFiles(
  disk: MemoryDisk,
  given: readonly UpstreamFile[],
  folder: string,
): Promise<GeneratedFile[]> {
  const files: GeneratedFile[] = [];
  for (const { source } of given) {
    const url = "url" in source ? source.url : "";
    const path = join(folder, basename(new URL(url).pathname));
    await disk.write(path, [Buffer.from(url)]);
    // Of some pictures nobody knows the size: they go out as documents, in a message beside the others of their order.
    const facts = /[05]\.png$/.test(path) ? {} : { width: 64, height: 64, durationSec: 5 };
    files.push({ path, mime: MIME[extname(path)] ?? "image/png", ...facts });
  }
  return files;
}
