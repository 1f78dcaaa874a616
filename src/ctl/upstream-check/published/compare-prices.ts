import { expectedCost } from "../../../catalogue/operation.js";
import { differs, type Finding, note } from "../finding.js";
import type { PublishedModel, PublishedPrice } from "./published-model.js";
import { isNear, shownAmount } from "./published-price.js";
import type { SentRequest, SentToEndpoint } from "./sent-requests.js";

/** Fields that prices depend on, besides those that the mapping's own cost names. */
const DECIDING = ["resolution", "duration_sec", "generation_mode", "video_speed_mode", "sound", "mode"];
const SHOWN_MAX = 8;

/** Compares what the mappings expect with what the service asks, for each request that differs in price. */
export function priceFindings(
  { usual }: Pick<SentToEndpoint, "usual">,
  { priceOf }: Pick<PublishedModel, "priceOf">,
): Finding[] {
  if (!priceOf) return [];
  const findings = new Map<string, Finding>();
  const untold: PublishedPrice[] = [];
  let isTold = false;
  for (const sent of usual) {
    const told = priceOf(sent.input);
    if (told) isTold = true;
    const ours = expectedCost(sent.mapping, sent.request);
    if (told && !ours) untold.push(told);
    if (!told || !ours || isNear(told, ours)) continue;
    const text = `${settingsOf(sent)}it asks ${shownAmount(told)}, and the catalogue says ${shownAmount(ours)}`;
    findings.set(text, differs(text));
  }
  if (!isTold && usual.length > 0)
    return [note("it tells no price of these requests in a form that is known")];
  const all = [...findings.values()];
  const more = all.length > SHOWN_MAX ? [differs(`${all.length - SHOWN_MAX} more prices differ`)] : [];
  return [...all.slice(0, SHOWN_MAX), ...more, ...untoldFindings(untold)];
}

function untoldFindings(untold: readonly PublishedPrice[]): Finding[] {
  const [first] = untold;
  if (!first) return [];
  const amounts = untold.map(({ amount }) => amount);
  const [min, max] = [Math.min(...amounts), Math.max(...amounts)];
  const range = min === max ? `${min}` : `${min} to ${max}`;
  return [note(`it asks ${range} ${first.currency}, and the mapping tells no cost`)];
}

function settingsOf({ mapping, request }: SentRequest): string {
  const names = [...new Set([...(mapping.cost?.by ?? []), ...DECIDING])];
  const settings = names.flatMap((name) => (request[name] === undefined ? [] : [`${name} ${request[name]}`]));
  return settings.length > 0 ? `${settings.join(", ")}: ` : "";
}
