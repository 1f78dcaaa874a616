import { createUpstreams, FileMaker, type Timing, type Upstreams } from "@atelier/upstream-stand-ins";
import { bigPng } from "../support/big-png.js";

/** The stand-in of the services, whose pictures are all one. */
export function startStandIn(
  timing: Timing,
  { side, bytes } = { side: 1024, bytes: 2_000_000 },
): Promise<Upstreams> {
  const picture = bigPng({ width: side, height: side, bytes, isColoured: true });
  const others = new FileMaker();
  return createUpstreams({
    timing,
    files: { make: async (spec, maker) => (spec.kind === "image" ? picture : others.make(spec, maker)) },
  });
}
