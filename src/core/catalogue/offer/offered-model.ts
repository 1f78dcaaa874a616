import type { Model } from "../../../contract/model.js";
import type { GenerationRequest } from "../../../contract/request.js";
import { mappingFor } from "../../../mapping/choose-mapping.js";
import type { Mapping } from "../../../mapping/mapping.js";
import { namedFields } from "../../../mapping/named-fields.js";
import { sampleRequests } from "../sample-requests.js";
import { withMaxima, withNumberMaxima } from "./offered-maxima.js";
import { PRICED, withOfferedValues } from "./offered-values.js";

/**
 * Reduces values, maxima, prices and title to what a list of mappings takes; a parameter that none takes is null.
 * @param lists mappings of the active services, in the order of preference
 * @returns undefined when nothing remains
 */
export function offeredModel(model: Model, lists: readonly (readonly Mapping[])[]): Model | undefined {
  const takes = (request: GenerationRequest) => chosenMapping(lists, request) !== undefined;
  let offered = withNumberMaxima(withoutUnnamed(model, lists.flat()), lists.flat(), takes);
  // Each turn takes something away, so it ends.
  for (;;) {
    const uses = usesOf(offered, lists);
    if (uses.length === 0) return undefined;
    const requests = uses.map(({ request }) => request);
    const kept = withOfferedValues(offered, requests);
    if (isSame(kept, offered)) {
      const titled = { ...withMaxima(kept, requests, lists.flat(), takes), title: titleOf(model, uses) };
      const versions = versionsOf(model, uses);
      return versions ? { ...titled, versions } : titled;
    }
    offered = kept;
  }
}

interface Use {
  request: GenerationRequest;
  mapping: Mapping;
}

function usesOf(model: Model, lists: readonly (readonly Mapping[])[]): readonly Use[] {
  return sampleRequests(model).flatMap((request) => {
    const mapping = chosenMapping(lists, request);
    return mapping ? [{ request, mapping }] : [];
  });
}

function chosenMapping(
  lists: readonly (readonly Mapping[])[],
  request: GenerationRequest,
): Mapping | undefined {
  for (const mappings of lists) {
    const found = mappingFor(mappings, request);
    if ("mapping" in found) return found.mapping;
  }
  return undefined;
}

/** Removes the parameters that no mapping names. Those that a price depends on stay. */
function withoutUnnamed(model: Model, mappings: readonly Mapping[]): Model {
  const named = new Set(mappings.flatMap((mapping) => [...namedFields(mapping)]));
  const kept = [
    "prompt",
    "mode",
    "description",
    "count",
    "video_input_mode",
    "reference_urls",
    ...PRICED[model.type],
  ];
  const parameters = Object.entries(model.parameters).map(([name, parameter]) => [
    name,
    named.has(name) || kept.includes(name) ? parameter : null,
  ]);
  return { ...model, parameters: Object.fromEntries(parameters) };
}

function titleOf({ title }: Model, uses: readonly Use[]): string {
  return [...new Set(uses.map(({ mapping }) => mapping.substitute ?? title))].join(" / ");
}

/** Finds the first parameter whose value alone decides the version; undefined for one version, or without one. */
function versionsOf(model: Model, uses: readonly Use[]): Model["versions"] {
  const titleOfUse = ({ mapping }: Use) => mapping.substitute ?? model.title;
  if (new Set(uses.map(titleOfUse)).size < 2) return undefined;
  for (const [parameter, described] of Object.entries(model.parameters)) {
    if (!described?.values) continue;
    const titles = new Map<string, Set<string>>();
    for (const use of uses) {
      const value = String(use.request[parameter]);
      titles.set(value, (titles.get(value) ?? new Set()).add(titleOfUse(use)));
    }
    const decided = [...titles].flatMap(([value, [title, ...more]]) =>
      title === undefined || more.length > 0 ? [] : [[value, title] as const],
    );
    if (decided.length === titles.size) return { parameter, titles: Object.fromEntries(decided) };
  }
  return undefined;
}

function isSame(one: Model, other: Model): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
