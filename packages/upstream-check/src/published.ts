import type { z } from "zod";
import type { CatalogueEntry } from "../../../src/catalogue/catalogue.js";
import type { Json } from "../../../src/catalogue/json.js";
import type { Mapping } from "../../../src/catalogue/mapping.js";
import { expectedCost, mappedInput, mappingFor } from "../../../src/catalogue/operation.js";
import type { Model } from "../../../src/contract/model.js";
import type { GenerationRequest } from "../../../src/contract/request.js";
import { reasonOf } from "../../../src/platform/errors.js";
import type { HttpAnswer } from "../../../src/platform/http-exchange.js";
import { MEGABYTE, MINUTE_MS } from "../../../src/platform/units.js";
import { ServiceCalls, type ServiceCallsOptions } from "../../../src/providers/service-calls.js";
import { differs, type Finding, note, PRICE_TOLERANCE } from "./findings.js";
import { spokenRequests } from "./request.js";

/** A field of a model's input, as its service describes it. */
export interface PublishedField {
  isRequired: boolean;
  /** The value taken where the field is not sent. */
  fallback?: Json | undefined;
  schema: z.ZodType;
}

export type PublishedFields = Readonly<Record<string, PublishedField>>;
export type SentInput = Readonly<Record<string, Json>>;

export interface PublishedPrice {
  amount: number;
  currency: string;
  per: "task" | "second";
}

/** What a service publishes of a model. */
export interface PublishedModel {
  /** Undefined where the service does not describe them. */
  fields?: PublishedFields | undefined;
  /** True where `fields` are all that the model reads: it drops any other. */
  readsNoOther?: boolean;
  /** Lists the prices that the service may ask for this input; none where it does not tell them. */
  pricesOf?: (input: SentInput) => readonly PublishedPrice[];
}

/** Asks an address of a publisher's hosts, without a key. @param query sent as the body of a POST */
export type Ask = (url: string, query?: Json) => Promise<HttpAnswer>;

/** What a service tells of its models to everybody. */
export interface Publisher {
  hosts: readonly string[];
  page: string;
  /** What is not compared, and why. */
  notCompared?: string;
  /** Reads a model for each endpoint, or why there is none. Throws where the catalogue cannot be read as a whole. */
  read(ask: Ask, endpoints: readonly string[]): Promise<ReadonlyMap<string, PublishedModel | Finding>>;
}

/** Reports a model that cannot be read. The reason has words of the service, so it is cut. */
export function unreadable(reason: string): Finding {
  return differs(`its entry cannot be read: ${reason.replace(/\s+/g, " ").slice(0, 200)}`);
}

export function missing(): Finding {
  return differs("the service does not list it");
}

interface Setup extends Omit<ServiceCallsOptions, "adapter" | "key"> {
  entries: readonly CatalogueEntry[];
}

/**
 * Compares the mappings of a service with what it publishes. Makes nothing, and sends no key. Throws where it cannot be
 * read.
 * @returns true where no difference matters
 */
export async function checkCatalogue(
  provider: string,
  publisher: Publisher,
  setup: Setup,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<boolean> {
  const sent = sentToEndpoints(setup.entries, provider);
  if (sent.length === 0) throw new Error(`the catalogue has no mapping of ${provider}`);
  say(`${provider}: compared with ${publisher.page}. Nothing is made, and no key is sent`);
  if (setup.root) say(`Asked at ${setup.root.origin}`);
  const { ask, close } = openAsking(publisher, setup, signal);
  const endpoints = [...new Set(sent.map(({ endpoint }) => endpoint))];
  const published = await publisher.read(ask, endpoints).finally(close);
  signal.throwIfAborted();
  let differing = 0;
  for (const one of sent) {
    const model = published.get(one.endpoint) ?? missing();
    const findings =
      "matters" in model ? [model] : [...fieldFindings(one, model), ...priceFindings(one, model)];
    say(`${one.model_key} by ${one.endpoint}${findings.length === 0 ? ": as expected" : ""}`);
    for (const { matters, text } of findings) say(`  ${matters ? "DIFFERS" : "note"}: ${text}`);
    if (findings.some(({ matters }) => matters)) differing += 1;
  }
  if (publisher.notCompared) say(publisher.notCompared);
  const [verdict, count] = differing === 0 ? ["As expected", sent.length] : ["Differs", differing];
  say(`${verdict}: ${count} of ${sent.length}`);
  return differing === 0;
}

/** The user agent, without which the front of kie refuses calls. */
const USER_AGENT = "atelier-upstream-check";
/** Milliseconds for a whole catalogue. `ServiceCalls` limits each call. */
const DEADLINE_MS = 5 * MINUTE_MS;
const CHARACTERS_MAX = 64 * MEGABYTE;

/** Opens calls without a key, as guarded as those of the service. `close` ends them. */
function openAsking({ hosts }: Publisher, { clock, ids, root, agent }: Setup, signal: AbortSignal) {
  const adapter = { apiHosts: hosts, headers: () => ({ "user-agent": USER_AGENT }) };
  const calls = new ServiceCalls({ clock, ids, root, agent, adapter, key: "" });
  const late = new AbortController();
  const cancel = clock.after(DEADLINE_MS, () => late.abort(new Error("not read within 5 minutes")));
  const ended = AbortSignal.any([signal, late.signal]);
  let characters = 0;
  const ask: Ask = async (url, json) => {
    const call =
      json === undefined ? ({ method: "GET", url } as const) : ({ method: "POST", url, json } as const);
    const answer = await calls.ask(call, ended).catch((error: unknown) => {
      ended.throwIfAborted();
      const cause = error instanceof Error && error.cause ? ` (${reasonOf(error.cause)})` : "";
      throw new Error(`${url}: ${reasonOf(error)}${cause}`);
    });
    characters += answer.text.length;
    if (characters > CHARACTERS_MAX) throw new Error("the catalogue has more than 64 MB");
    return answer;
  };
  const close = async () => {
    cancel();
    await calls.close();
  };
  return { ask, close };
}

/** A request, and what its mapping sends for it. */
interface SentRequest {
  mapping: Mapping;
  request: GenerationRequest;
  input: SentInput;
}

export interface SentToEndpoint {
  model_key: string;
  endpoint: string;
  /** Requests of each combination of the model's values. */
  usual: readonly SentRequest[];
  /** The same requests with the longest and the shortest texts, and the longest lists, one field at a time. */
  extreme: readonly SentRequest[];
}

/** The largest seed of an order. */
const SEED_MAX = 2 ** 31 - 1;

/** Collects what is sent, in the order of the catalogue. */
export function sentToEndpoints(
  entries: readonly CatalogueEntry[],
  provider: string,
): readonly SentToEndpoint[] {
  return entries.flatMap(({ mappings: all, model, model_key, tracks = 1 }) => {
    const mappings = Object.hasOwn(all, provider) ? (all[provider] ?? []) : [];
    const send = (request: GenerationRequest): readonly SentRequest[] => {
      const chosen = mappingFor(mappings, request);
      if (!("mapping" in chosen)) return [];
      const made = mappedInput(chosen.mapping, request, { seed: SEED_MAX, tracks });
      return "input" in made ? [{ mapping: chosen.mapping, request, input: made.input }] : [];
    };
    const requests = spokenRequests(model).flatMap(send);
    return [...new Set(mappings.map(({ endpoint }) => endpoint))].map((endpoint) => {
      const isOwn = ({ mapping }: SentRequest) => mapping.endpoint === endpoint;
      const usual = requests.filter(isOwn);
      return { model_key, endpoint, usual, extreme: extremesOf(model, usual).flatMap(send).filter(isOwn) };
    });
  });
}

/** Lists the extremes of the first request of each mapping that has the field. */
function extremesOf({ parameters }: Model, sent: readonly SentRequest[]): readonly GenerationRequest[] {
  return [...new Set(sent.map(({ mapping }) => mapping))].flatMap((mapping) =>
    Object.entries(parameters).flatMap(([name, parameter]) => {
      const from = sent.find((one) => one.mapping === mapping && one.request[name] !== undefined);
      if (!parameter || !from || parameter.values) return [];
      const max = Math.min(
        parameter.max ?? Number.POSITIVE_INFINITY,
        mapping.limits[name] ?? Number.POSITIVE_INFINITY,
      );
      const longest = Number.isFinite(max) ? [max] : [];
      const min = Math.max(1, parameter.min ?? 1, mapping.minima[name] ?? 1);
      if (parameter.type === "string")
        return [...longest, min].map((length) => ({ ...from.request, [name]: "a".repeat(length) }));
      if (parameter.type !== "array<string>") return [];
      return longest.map((length) => ({
        ...from.request,
        [name]: Array.from({ length }, (_, index) => `https://reference.invalid/image/${index}`),
      }));
    }),
  );
}

const SHOWN_MAX = 12;

/** Shows values to a person: long texts by their length, long lists by their count, and each once. */
export function shownList(values: readonly Json[]): string {
  const shown = values.map((value) => {
    if (typeof value === "string" && value.length > 60) return `a text of ${value.length} characters`;
    const text = JSON.stringify(value);
    return Array.isArray(value) && text.length > 60 ? `a list of ${value.length}` : text;
  });
  const all = [...new Set(shown)];
  const more = all.length > SHOWN_MAX ? [`${all.length - SHOWN_MAX} more`] : [];
  return [...all.slice(0, SHOWN_MAX), ...more].join(", ");
}

/** Lists what the service would refuse or drop of what we send. */
export function fieldFindings(
  { usual, extreme }: Pick<SentToEndpoint, "usual" | "extreme">,
  { fields, readsNoOther }: PublishedModel,
): Finding[] {
  if (!fields) return [];
  if (usual.length === 0) return [note("no request of the model reaches this mapping")];
  const required = Object.entries(fields).flatMap(([name, { isRequired, fallback }]): Finding[] => {
    const without = usual.filter(({ input }) => !Object.hasOwn(input, name)).length;
    if (!isRequired || without === 0) return [];
    const share =
      without === usual.length ? "never sent" : `not sent by ${without} of ${usual.length} requests`;
    const text = `${name} is required there, and ${share}`;
    return [
      fallback === undefined ? differs(text) : note(`${text}: its default is ${shownList([fallback])}`),
    ];
  });
  const inputs = [...usual, ...extreme].map(({ input }) => input);
  const names = [...new Set(inputs.flatMap(Object.keys))];
  const sent = names.flatMap((name): Finding[] => {
    const values = inputs.flatMap((input) => (Object.hasOwn(input, name) ? [input[name] ?? null] : []));
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field) {
      const refused = values.filter((value) => !field.schema.safeParse(value).success);
      if (refused.length === 0) return [];
      const why = wordsOf(field.schema.safeParse(refused[0]).error?.issues ?? []);
      return [differs(`${name} ${shownList(refused)}: ${why}`)];
    }
    if (!readsNoOther) return [note(`${name} is sent, and the service does not name it`)];
    // The choice of a person is lost, and the job is paid for all the same.
    const isChoice = new Set(usual.map(({ input }) => JSON.stringify(input[name]))).size > 1;
    const dropped = `${name} is sent, and the service drops it`;
    return [isChoice ? differs(`${dropped}: ${shownList(values)} make no difference`) : note(dropped)];
  });
  return [...required, ...sent];
}

function wordsOf(issues: readonly z.core.$ZodIssue[]): string {
  const words = issues.map((issue) =>
    issue.code === "invalid_union" ? wordsOf(issue.errors.flat()) : issue.message,
  );
  return [...new Set(words)].join("; ");
}

/** The rounding of the smallest prices, such as 0.8 credits. */
const ROUNDING = 0.005;
/** Fields that prices depend on, besides those that the mapping's own cost names. */
const DECIDING = ["resolution", "duration_sec", "generation_mode", "video_speed_mode", "sound", "mode"];

/** Compares what the mappings expect with what the service asks, for each request that differs in price. */
export function priceFindings(
  { usual }: Pick<SentToEndpoint, "usual">,
  { pricesOf }: PublishedModel,
): Finding[] {
  if (!pricesOf || usual.length === 0) return [];
  const differing = new Set<string>();
  const told: PublishedPrice[] = [];
  let isExpected = false;
  for (const { mapping, request, input } of usual) {
    const asked = pricesOf(input);
    told.push(...asked);
    const ours = expectedCost(mapping, request);
    if (!ours) continue;
    isExpected = true;
    const amounts = { task: ours.amount, second: ours.amount / Number(request.duration_sec) };
    const isAsked = asked.some(({ amount, currency, per }) => {
      const gap = Math.abs(amount - amounts[per]);
      return currency === ours.currency && gap <= Math.max(amounts[per] * PRICE_TOLERANCE, ROUNDING);
    });
    if (isAsked || asked.length === 0) continue;
    const names = new Set([...(mapping.cost?.by ?? []), ...DECIDING]);
    const settings = [...names].flatMap((name) =>
      request[name] === undefined ? [] : [`${name} ${request[name]}`],
    );
    const at = settings.length > 0 ? `${settings.join(", ")}: ` : "";
    differing.add(
      `${at}it asks ${shownPrices(asked)}, and the catalogue says ${ours.amount} ${ours.currency}`,
    );
  }
  if (told.length === 0) return [note("it tells no price of these requests in a form that is known")];
  if (!isExpected) return [note(`it asks ${shownPrices(told)}, and the mapping tells no cost`)];
  return [...differing].map(differs);
}

function shownPrices(prices: readonly PublishedPrice[]): string {
  const byUnit = Map.groupBy(prices, ({ currency, per }) =>
    per === "task" ? currency : `${currency} by ${per}`,
  );
  return [...byUnit]
    .map(([unit, list]) => {
      const amounts = list.map(({ amount }) => Number(amount.toFixed(4)));
      return `${shownList(amounts.sort((one, other) => one - other))} ${unit}`;
    })
    .join(" and ");
}
