import {
  integerBetween,
  optional,
  reader,
  rootAddress,
  secret,
  type Variable,
  webAddress,
} from "./config-readers.js";

const CONCURRENCY_MAX = 10_000;

export interface UpstreamService {
  prefix: string;
  title: string;
  needsKey: boolean;
  /** True for software that knows no key. */
  hasNoKey?: true;
  /** True for software that the operator runs: it has no address of its own. */
  needsRoot: boolean;
  /** True when the root includes a version prefix, such as `/v1`. */
  rootHasPath: boolean;
}

const ONLINE = { needsKey: true, needsRoot: false, rootHasPath: false };
const OWN = { needsKey: false, needsRoot: true, rootHasPath: false };

/** The services by their names in `PROVIDERS`. Each has an adapter. */
export const UPSTREAM_SERVICES: Readonly<Record<string, UpstreamService>> = {
  generation_api: {
    prefix: "GENERATION_API",
    title: "another Generation API v1",
    needsKey: true,
    needsRoot: true,
    rootHasPath: true,
  },
  fal: { prefix: "FAL", title: "fal.ai", ...ONLINE },
  kie: { prefix: "KIE", title: "kie.ai", ...ONLINE },
  polza: { prefix: "POLZA", title: "polza.ai", ...ONLINE },
  openai: { prefix: "OPENAI", title: "OpenAI", ...ONLINE, rootHasPath: true },
  replicate: { prefix: "REPLICATE", title: "Replicate", ...ONLINE },
  comfyui: { prefix: "COMFYUI", title: "ComfyUI", ...OWN, hasNoKey: true },
  ace_step: { prefix: "ACE_STEP", title: "ACE-Step", ...OWN },
};

const PROVIDER_NAMES = ["local", ...Object.keys(UPSTREAM_SERVICES)];

export const providerNames = reader(
  `names separated by commas, of ${PROVIDER_NAMES.join(", ")}`,
  (given): readonly string[] | undefined => {
    const names = given.split(",").map((name) => name.trim());
    return names.every((name) => PROVIDER_NAMES.includes(name))
      ? Object.freeze([...new Set(names)])
      : undefined;
  },
);

export interface UpstreamVariables {
  key?: readonly [name: string, Variable<string | undefined>];
  apiRoot: readonly [name: string, Variable<string | undefined>];
  concurrency: readonly [name: string, Variable<number | undefined>];
}

export function upstreamVariables(service: UpstreamService): UpstreamVariables {
  const { prefix, title, needsKey, hasNoKey, needsRoot, rootHasPath } = service;
  const version = rootHasPath ? ", with its version prefix" : "";
  const api = prefix.endsWith("_API") ? prefix : `${prefix}_API`;
  const keyOf = needsKey ? `The key of ${title}` : `The key of ${title}, where it was started with one`;
  return {
    ...(!hasNoKey && { key: [`${api}_KEY`, secret("none", keyOf)] as const }),
    apiRoot: [
      `${api}_ROOT`,
      optional(
        rootHasPath ? webAddress : rootAddress,
        needsRoot ? "none" : `${title}'s own`,
        `Where ${title} ${needsRoot ? "runs" : "is called"}${version}${needsRoot ? "" : ": a proxy or a stand-in"}`,
      ),
    ],
    concurrency: [
      `${prefix}_CONCURRENCY`,
      optional(integerBetween(1, CONCURRENCY_MAX), "from the catalogue file", `Tasks in flight at ${title}`),
    ],
  };
}

/** Lists one line for each value that a named service lacks. */
export function missingValues(
  name: string,
  service: UpstreamService,
  given: { key: string | undefined; apiRoot: string | undefined },
): string[] {
  const { key, apiRoot } = upstreamVariables(service);
  const isMissing = [
    [key?.[0], service.needsKey && given.key === undefined],
    [apiRoot[0], service.needsRoot && given.apiRoot === undefined],
  ] as const;
  return isMissing.flatMap(([variable, missing]) =>
    missing ? [`${variable}: must be set for ${name}`] : [],
  );
}
