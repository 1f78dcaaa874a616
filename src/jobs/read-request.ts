import type { Catalogue, CatalogueEntry } from "../catalogue/catalogue.js";
import type { RefusedRequest } from "../catalogue/operation.js";
import { ContractError, type ContractErrorCode } from "../contract/errors.js";
import {
  GENERATION_TYPES,
  type GenerationType,
  type ModelParameter,
  type ParameterValue,
} from "../contract/model.js";
import { asKopecks, type Kopecks, priceKopecks } from "../contract/price.js";
import { type GenerationRequest, isBlank } from "../contract/request.js";
import { isPublicHost } from "../platform/guarded-fetch.js";

/** Aliases of each canonical name (section 9), preferred first. */
const ALIASES: Readonly<Record<GenerationType, Readonly<Record<string, readonly string[]>>>> = {
  image: {
    prompt: ["prompt_text"],
    aspect_ratio: ["ratio"],
  },
  video: {
    prompt: ["prompt_text"],
    aspect_ratio: ["ratio"],
    video_speed_mode: ["speed_mode"],
    video_input_mode: ["input_mode"],
    start_frame_url: ["start_image_url", "image_url"],
    end_frame_url: ["end_image_url"],
  },
  music: {
    model_key: ["model"],
    style_preset_id: ["stylePresetId"],
    custom_style: ["customStyle"],
    make_instrumental: ["makeInstrumental"],
    duration_sec: ["durationSec"],
    style_weight: ["styleWeight"],
    weirdness_constraint: ["weirdnessConstraint"],
    audio_weight: ["audioWeight"],
  },
};

interface Envelope {
  type: GenerationType;
  /** Looks up a canonical name, then its aliases. What is absent has the canonical name, and no value. */
  given(name: string): { name: string; value: unknown };
}

/** The type defaults to `image`. Throws ContractError `invalid_json` | `unsupported_type`. */
function openEnvelope(body: unknown): Envelope {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new ContractError("invalid_json");
  const type = typeIn(body);
  if (!type) throw new ContractError("unsupported_type", { supported: GENERATION_TYPES, param: "type" });
  const aliases = ALIASES[type];
  return {
    type,
    given(name) {
      for (const candidate of [name, ...(aliases[name] ?? [])]) {
        const value = presentIn(body, candidate);
        if (value !== undefined) return { name: candidate, value };
      }
      return { name, value: undefined };
    },
  };
}

/** Returns undefined for a type that is unknown; an absent one is `image`. */
export function typeIn(body: object): GenerationType | undefined {
  const value = presentIn(body, "type");
  if (value === undefined) return "image";
  const asked = typeof value === "string" ? value.trim() : value;
  return GENERATION_TYPES.find((known) => known === asked);
}

function presentIn(body: object, name: string): unknown {
  const value: unknown = Object.hasOwn(body, name) ? Reflect.get(body, name) : undefined;
  if (value === null || (typeof value === "string" && isBlank(value))) return undefined;
  return value;
}

/** True for a signed and unexpired link of this service. */
export type IsOwnLink = (url: string) => boolean;

/** Leaves room for signed storage links. */
const LENGTH_MAX = 8192;

/**
 * Checks and normalises a link by its text; its resolved address is checked again by the fetch.
 * WHATWG URL knows every notation of an IP address (decimal, octal, hexadecimal, full-width, shortened).
 * @throws ContractError `bad_reference_url` | `reference_url_must_be_https` | `reference_url_not_allowed`
 */
export function judgeReference({ text, param }: Link, isOwnLink: IsOwnLink): string {
  const refused = (code: ContractErrorCode) => new ContractError(code, { param });
  const link = text.trim();
  if (link.length > LENGTH_MAX || !URL.canParse(link)) throw refused("bad_reference_url");
  const url = new URL(link);
  if (isOwnLink(url.href)) return url.href;
  if (url.protocol !== "https:") throw refused("reference_url_must_be_https");
  // URL accepts `https:host`. Section 2.3 excludes servers that ask for credentials.
  if (!/^https:\/\//i.test(link) || url.username !== "" || url.password !== "") {
    throw refused("bad_reference_url");
  }
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  if (host.split(".").includes("")) throw refused("bad_reference_url");
  if (!isPublicHost(host)) throw refused("reference_url_not_allowed");
  return url.href;
}

/** The value of a parameter in a request, and its definition in the catalogue. */
interface Field {
  /** The name that the request gave the value, or the canonical one. */
  name: string;
  value: unknown;
  /** Definition of the parameter; null when the model lacks it: the value is then ignored. */
  parameter: ModelParameter | null;
}

type FieldOf = (name: string) => Field;
type Read = Readonly<Record<string, ParameterValue | undefined>>;

/** A link, not validated yet, and the field that it stands in. */
interface Link {
  text: string;
  param: string;
}

interface Links {
  start: Link | undefined;
  end: Link | undefined;
  references: readonly Link[];
}

/**
 * Reads the images of a video and the mode that uses them. The first two references fill missing frames
 * (section 9), except in mode `references`. Images that the mode does not use are dropped unchecked.
 * @throws ContractError `reference_required` | the codes of `judgeReference`
 */
function readVideoInputs(fieldOf: FieldOf, isOwnLink: IsOwnLink): Read {
  const modeField = fieldOf("video_input_mode");
  const asked = readChoice(modeField);
  if (asked === "text") return { video_input_mode: asked };

  const startField = fieldOf("start_frame_url");
  const referenceField = fieldOf("reference_urls");
  const given: Links = {
    start: readLink(startField),
    end: readLink(fieldOf("end_frame_url")),
    references: readLinks(referenceField),
  };
  const links = asked === "references" ? given : withFrames(given, startField, fieldOf("end_frame_url"));
  const mode = asked ?? modeOf(links, modeField);

  const lacksStart = (mode === "frames" || startField.parameter?.required) && links.start === undefined;
  if (lacksStart) throw new ContractError("reference_required", { param: startField.name });
  if (mode === "references" && links.references.length === 0) {
    throw new ContractError("reference_required", { param: referenceField.name });
  }
  if (mode === "text") return { video_input_mode: mode };
  const judged = (link: Link | undefined) => link && judgeReference(link, isOwnLink);
  return {
    video_input_mode: mode,
    start_frame_url: judged(links.start),
    end_frame_url: judged(links.end),
    reference_urls:
      mode === "references" ? links.references.map((link) => judgeReference(link, isOwnLink)) : undefined,
  };
}

function withFrames({ start, end, references }: Links, startField: Field, endField: Field): Links {
  const [first, second] = references;
  const takesFirst = startField.parameter !== null && start === undefined && first !== undefined;
  const takesSecond = endField.parameter !== null && end === undefined && second !== undefined;
  return {
    start: takesFirst ? first : start,
    end: takesSecond ? second : end,
    references: references.filter(
      (_, index) => !(index === 0 && takesFirst) && !(index === 1 && takesSecond),
    ),
  };
}

/** Prefers references, then frames, then text, among the model's modes. */
function modeOf({ start, end, references }: Links, { parameter }: Field): string | undefined {
  const modes = parameter?.values?.map(String) ?? [];
  if (references.length > 0 && modes.includes("references")) return "references";
  if ((start !== undefined || end !== undefined) && modes.includes("frames")) return "frames";
  return modes.includes("text") ? "text" : modes[0];
}

/**
 * Reads a song's mode, the text that the mode needs, and its style. A custom style overrides a preset.
 * @throws ContractError `bad_music_description` | `bad_music_lyrics` | `bad_music_style` with `allowed`
 */
function readSong(fieldOf: FieldOf): Read {
  const mode = readChoice(fieldOf("mode"));
  const description = readText(fieldOf("description"));
  const lyrics = readText(fieldOf("lyrics"));
  const custom_style = readText(fieldOf("custom_style"));
  const style_preset_id = custom_style === undefined ? readChoice(fieldOf("style_preset_id")) : undefined;
  if (mode === "lyrics") {
    requireLength(lyrics, fieldOf("lyrics"), "bad_music_lyrics");
    if (custom_style === undefined && style_preset_id === undefined) {
      const { name: param, parameter } = fieldOf("style_preset_id");
      throw new ContractError("bad_music_style", { allowed: parameter?.values ?? [], param });
    }
  } else {
    requireLength(description, fieldOf("description"), "bad_music_description");
  }
  return { mode, description, lyrics, style_preset_id, custom_style };
}

/** Reads references. Throws ContractError `reference_required`, or a code of `judgeReference`. */
function readImageReferences(field: Field, isOwnLink: IsOwnLink): string[] | undefined {
  const links = readLinks(field);
  if (links.length === 0 && !field.parameter?.required) return undefined;
  if (links.length === 0) throw new ContractError("reference_required", { param: field.name });
  return links.map((link) => judgeReference(link, isOwnLink));
}

/** Words for booleans (section 9). Numeric words are also accepted as numbers. */
const WORDS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ...[true, "true", "1", 1, "yes", "on"].map((word) => [word, true] as const),
  ...[false, "false", "0", 0, "no", "off"].map((word) => [word, false] as const),
]);

/** Reads a boolean or a word for one, in any case. Anything else becomes the default. */
function readFlag({ value, parameter }: Field): boolean | undefined {
  if (!parameter) return undefined;
  const word = typeof value === "string" ? value.trim().toLowerCase() : value;
  return WORDS.get(word) ?? parameter.default === true;
}

/** Reads what each type can have, in the order of its checks. */
const READERS: Readonly<Record<GenerationType, (fieldOf: FieldOf, isOwnLink: IsOwnLink) => Read>> = {
  image: (fieldOf, isOwnLink) => ({
    prompt: readPrompt(fieldOf("prompt")),
    generation_mode: readKnown(fieldOf("generation_mode"), "bad_generation_mode"),
    aspect_ratio: readKnown(fieldOf("aspect_ratio"), "bad_aspect_ratio"),
    resolution: readChoice(fieldOf("resolution")),
    count: readNumber(fieldOf("count"), (count, parameter) => clamped(Math.floor(count), parameter)),
    reference_urls: readImageReferences(fieldOf("reference_urls"), isOwnLink),
  }),
  video: (fieldOf, isOwnLink) => ({
    prompt: readPrompt(fieldOf("prompt")),
    aspect_ratio: readChoice(fieldOf("aspect_ratio")),
    duration_sec: readVideoDuration(fieldOf("duration_sec")),
    resolution: readChoice(fieldOf("resolution")),
    video_speed_mode: readChoice(fieldOf("video_speed_mode")),
    sound: readFlag(fieldOf("sound")),
    ...readVideoInputs(fieldOf, isOwnLink),
  }),
  music: (fieldOf) => ({
    ...readSong(fieldOf),
    title: readText(fieldOf("title")),
    make_instrumental: readFlag(fieldOf("make_instrumental")),
    style_weight: readNumber(fieldOf("style_weight"), clampedWeight),
    weirdness_constraint: readNumber(fieldOf("weirdness_constraint"), clampedWeight),
    audio_weight: readNumber(fieldOf("audio_weight"), clampedWeight),
    duration_sec: readNumber(fieldOf("duration_sec"), (number, parameter) =>
      Number.isInteger(number) && clamped(number, parameter) === number ? number : undefined,
    ),
  }),
};

/** Reads the video duration in seconds. Throws ContractError `bad_duration_sec` for a value the model lacks. */
function readVideoDuration({ name: param, value, parameter }: Field): number | undefined {
  if (!parameter) return undefined;
  if (value === undefined) return defaultOf(parameter);
  const seconds = numberOf(value);
  const { values = [] } = parameter;
  if (seconds === undefined || !values.includes(seconds)) {
    throw new ContractError("bad_duration_sec", { allowed: values, param });
  }
  return seconds;
}

/** Reads a number as `fitted` makes it. Anything but a number, and one that does not fit, becomes the default. */
function readNumber(
  { value, parameter }: Field,
  fitted: (number: number, parameter: ModelParameter) => number | undefined,
): number | undefined {
  if (!parameter) return undefined;
  const number = numberOf(value);
  return (number === undefined ? undefined : fitted(number, parameter)) ?? defaultOf(parameter);
}

function clampedWeight(number: number, parameter: ModelParameter): number {
  return Math.round(clamped(number, parameter) * 100) / 100;
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  return /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined;
}

function clamped(number: number, parameter: ModelParameter): number {
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = parameter;
  return Math.min(Math.max(number, min), max);
}

function defaultOf(parameter: ModelParameter): number | undefined {
  return typeof parameter.default === "number" ? parameter.default : undefined;
}

/** Reads one of the parameter's values. Absent and unknown values become the default. */
function readChoice({ value, parameter }: Field): string | undefined {
  return parameter ? (known(value, parameter) ?? defaultChoice(parameter)) : undefined;
}

/** Reads a choice, but throws ContractError `code` with `allowed` for an unknown value. */
function readKnown({ name: param, value, parameter }: Field, code: ContractErrorCode): string | undefined {
  if (!parameter) return undefined;
  if (value === undefined) return defaultChoice(parameter);
  const choice = known(value, parameter);
  if (choice === undefined) throw new ContractError(code, { allowed: parameter.values ?? [], param });
  return choice;
}

function known(value: unknown, { values = [] }: ModelParameter): string | undefined {
  if (typeof value !== "string") return undefined;
  const choice = value.trim();
  return values.includes(choice) ? choice : undefined;
}

function defaultChoice(parameter: ModelParameter): string | undefined {
  return typeof parameter.default === "string" ? parameter.default : undefined;
}

/** Throws ContractError `prompt_required` | `prompt_too_long`. */
export function readPrompt({ name: param, value, parameter }: Field): string {
  const prompt = cleanText(value);
  if (prompt === undefined) throw new ContractError("prompt_required", { param });
  if (isLongerThan(prompt, parameter?.max)) throw new ContractError("prompt_too_long", { param });
  return prompt;
}

/** Cuts a text to its limit; undefined when it is absent, not a string, or the model lacks it. */
function readText({ value, parameter }: Field): string | undefined {
  const text = parameter ? cleanText(value) : undefined;
  const kept = text === undefined ? "" : truncated(text, parameter?.max);
  return isBlank(kept) ? undefined : kept;
}

function requireLength(
  text: string | undefined,
  { name: param, parameter }: Field,
  code: ContractErrorCode,
): void {
  if (text === undefined || !isLongerThan(text, (parameter?.min ?? 1) - 1)) {
    throw new ContractError(code, { param });
  }
}

/** Replaces lone surrogates, which UTF-8 cannot encode. */
function cleanText(value: unknown): string | undefined {
  if (typeof value !== "string" || isBlank(value)) return undefined;
  return value.replace(/\p{Surrogate}/gu, "\uFFFD").trim();
}

function isLongerThan(text: string, limit = Number.POSITIVE_INFINITY): boolean {
  if (text.length <= limit) return false;
  let count = 0;
  for (const _ of text) {
    count += 1;
    if (count > limit) return true;
  }
  return false;
}

function truncated(text: string, limit: number | undefined): string {
  if (!isLongerThan(text, limit)) return text;
  let end = 0;
  let count = 0;
  for (const point of text) {
    if (count === limit) break;
    end += point.length;
    count += 1;
  }
  // The cut may end in a space, which a second reading would remove.
  return text.slice(0, end).trimEnd();
}

/** Reads links, not validated yet. Throws ContractError `bad_reference_url` for another type. */
function readLinks({ name: param, value, parameter }: Field): Link[] {
  if (!parameter || value === undefined) return [];
  if (!Array.isArray(value)) throw new ContractError("bad_reference_url", { param });
  const given: readonly unknown[] = value;
  return given.slice(0, parameter.max).map((link) => linkOf(link, param));
}

/** Reads one link, not validated yet. Throws ContractError `bad_reference_url`. */
function readLink({ name, value, parameter }: Field): Link | undefined {
  return parameter && value !== undefined ? linkOf(value, name) : undefined;
}

function linkOf(value: unknown, param: string): Link {
  if (typeof value !== "string") throw new ContractError("bad_reference_url", { param });
  return { text: value, param };
}

/** Codes of section 7 that name a parameter. */
const CODES: Readonly<Record<string, ContractErrorCode>> = {
  prompt: "prompt_too_long",
  aspect_ratio: "bad_aspect_ratio",
  duration_sec: "bad_duration_sec",
  generation_mode: "bad_generation_mode",
  start_frame_url: "bad_reference_url",
  end_frame_url: "bad_reference_url",
  reference_urls: "bad_reference_url",
  description: "bad_music_description",
  lyrics: "bad_music_lyrics",
  style_preset_id: "bad_music_style",
  custom_style: "bad_music_style",
};

/** Codes of texts that are too short; the others have one code for both. */
const SHORT_CODES: Readonly<Record<string, ContractErrorCode>> = { prompt: "prompt_required" };

/** Builds the refusal of a request that no active mapping takes. @param isTaken whether a request would be taken */
export function mappingRefusal(
  { refusedField: field, isTooShort = false }: RefusedRequest,
  { model }: Pick<CatalogueEntry, "model">,
  request: GenerationRequest,
  isTaken: (request: GenerationRequest) => boolean,
): ContractError {
  const code = (isTooShort ? SHORT_CODES[field] : undefined) ?? CODES[field];
  const param = field in model.parameters ? field : "model_key";
  if (code === undefined) return new ContractError("model_disabled", { param });
  if (code === "bad_reference_url" && request[field] === undefined)
    return new ContractError("reference_required", { param });
  const { values = [] } = model.parameters[field] ?? {};
  const allowed = values.filter((value) => isTaken({ ...request, [field]: value }));
  return new ContractError(code, { ...(allowed.length > 0 && { allowed }), param });
}

export interface PricedRequest {
  entry: CatalogueEntry;
  /** Normalised request. Reading it again returns the same. */
  request: GenerationRequest;
  count: number;
  unitKopecks: Kopecks;
  totalKopecks: Kopecks;
}

const BAD_MODEL: Readonly<Record<GenerationType, ContractErrorCode>> = {
  image: "bad_model",
  video: "bad_video_model",
  music: "bad_music_model",
};

/**
 * Reads the body of POST /generations: aliases, checks, normalisation and price (sections 4.4, 8 and 9).
 * @param isOwnLink recognises a valid link of this service, which skips the address checks
 * @throws ContractError of the first check that fails, in this order: type, model, prompt or song, mode,
 *   ratio, duration, references
 */
export function readRequest(
  body: unknown,
  catalogue: Catalogue,
  isOwnLink: IsOwnLink = () => false,
): PricedRequest {
  const envelope = openEnvelope(body);
  const { type: asked } = envelope;
  const { name: param, value: key } = envelope.given("model_key");
  const named = typeof key === "string" ? catalogue.find(asked, key.trim()) : undefined;
  const entry = key === undefined ? catalogue.defaultOf(asked) : named;
  if (!entry) throw new ContractError(BAD_MODEL[asked], { allowed: catalogue.keysOf(asked), param });
  if (entry.status === "disabled") throw new ContractError("model_disabled", { param });
  if (entry.status === "cabinet_only") throw new ContractError("model_not_supported_via_api", { param });
  const { type, model_key, model } = entry;
  const fieldOf: FieldOf = (name) => ({
    ...envelope.given(name),
    parameter: model.parameters[name] ?? null,
  });
  const read = READERS[type](fieldOf, isOwnLink);
  const request: GenerationRequest = { type, model_key };
  // In catalogue order; absent ones got their default.
  for (const name of Object.keys(model.parameters)) {
    const value = read[name];
    if (value !== undefined) request[name] = value;
  }
  const unitKopecks = priceKopecks(model, request);
  // The catalogue prices every variant, so this is a bug.
  if (unitKopecks === undefined) throw new Error(`no price for ${JSON.stringify(request)}`);
  const count = typeof request.count === "number" ? request.count : 1;
  return { entry, request, count, unitKopecks, totalKopecks: asKopecks(unitKopecks * count) };
}
