import { onTestFinished } from "vitest";
import { ApiAccount, installAccounts } from "./api-accounts.js";
import { ChildService } from "./child-service.js";
import { hastyCatalogue } from "./hasty-catalogue.js";
import { newFolder } from "./new-folder.js";
import { startUpstreamProcess } from "./upstream-process.js";

/** Each makes the model of `jobRequest`. */
export const SERVICES = ["fal", "kie", "polza"] as const;
export type Service = (typeof SERVICES)[number];

export function jobRequest(name: string): object {
  return { type: "image", model_key: "grok-imagine", prompt: `${name}.` };
}

/** The service, which is killed and started again, in front of stand-ins of its upstreams. */
export async function openCrashWorld() {
  const dataDir = newFolder();
  const catalogueFile = hastyCatalogue(dataDir, 60);
  const { keys } = await installAccounts(dataDir, 1, 1_000_000);
  const upstream = await startUpstreamProcess();
  const roots = SERVICES.flatMap((name) => [
    [`${name.toUpperCase()}_API_ROOT`, upstream.url],
    [`${name.toUpperCase()}_API_KEY`, "stand-in-key"],
  ]);
  const start = (first: Service, environment: Record<string, string> = {}) => {
    const order = [first, ...SERVICES.filter((name) => name !== first)];
    return new ChildService({
      TEST_RENDERER: "1",
      DATA_DIR: dataDir,
      CATALOGUE_FILE: catalogueFile,
      PROVIDERS: order.join(),
      ...Object.fromEntries(roots),
      ...environment,
    });
  };
  const startedAt = performance.now();
  const world = {
    dataDir,
    /** How long a start takes. */
    startMs: 0,
    upstream,
    service: start("fal"),
    account: new ApiAccount("", ""),
    /** @param first gets the new jobs */
    async restart(first: Service, environment?: Record<string, string>) {
      await world.service.kill();
      world.service = start(first, environment);
      world.account = new ApiAccount(await world.service.ready(), keys[0] ?? "");
    },
    /** Undefined where the service was killed before its answer. */
    post: (name: string): Promise<unknown> =>
      world.account.post(jobRequest(name)).then(
        ({ job_id: id }) => id,
        () => undefined,
      ),
  };
  onTestFinished(() => world.service.kill());
  world.account = new ApiAccount(await world.service.ready(), keys[0] ?? "");
  world.startMs = performance.now() - startedAt;
  return world;
}

export type CrashWorld = Awaited<ReturnType<typeof openCrashWorld>>;
