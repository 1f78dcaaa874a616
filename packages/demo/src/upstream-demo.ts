import { join } from "node:path";
import { createUpstreams, type Upstreams } from "@atelier/upstream-stand-ins";

/** Kept addresses of files and tasks hold over a restart where the port is free. */
const PORT = 8790;
/** Long enough to watch the queue, short enough to wait. */
const TIMING = { queueMs: 6000, runMs: 6000 };

/** The services that make the files of the demo. @param keptIn the directory of a demo that is kept */
export function startServices(keptIn: string | undefined): Promise<Upstreams> {
  const options = {
    timing: TIMING,
    hasOwnAddresses: true,
    ...(keptIn === undefined ? {} : { directory: join(keptIn, "upstreams") }),
  };
  return createUpstreams({ ...options, port: PORT }).catch(() => createUpstreams(options));
}
