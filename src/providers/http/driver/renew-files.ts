import type { UpstreamFile } from "../../../mapping/operation.js";
import { causeOf } from "./judge-submit.js";
import type { ServiceContext } from "./service-context.js";

/** Returns the files with fresh addresses; undefined where the service does not renew them. */
export async function renewed(
  context: Pick<ServiceContext, "adapter" | "calls" | "logger">,
  files: readonly UpstreamFile[],
): Promise<readonly UpstreamFile[] | undefined> {
  if (!context.adapter.renew) return undefined;
  const fresh: UpstreamFile[] = [];
  for (const file of files) {
    const url = "url" in file.source ? await renewedUrl(context, file.source.url) : undefined;
    if (url === undefined) return undefined;
    fresh.push({ ...file, source: { url } });
  }
  return fresh;
}

async function renewedUrl(
  { adapter, calls, logger }: Pick<ServiceContext, "adapter" | "calls" | "logger">,
  url: string,
): Promise<string | undefined> {
  const call = adapter.renew?.(url);
  if (!call || !adapter.readRenew) return undefined;
  try {
    return adapter.readRenew(await calls.ask(call));
  } catch (error) {
    logger.debug({ reason: causeOf(error) }, "address of a result not renewed");
    return undefined;
  }
}
