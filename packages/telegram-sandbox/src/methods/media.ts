import { randomInt } from "node:crypto";
import type { TelegramMessage } from "@gramio/types";
import { albumError, BotApiError, badRequest } from "../errors.js";
import type { FileKind } from "../file-kind.js";
import { CAPTION_LENGTH_MAX, lengthOf, normalizeText, parseFormattedText } from "../formatted-text.js";
import { mediaContent } from "../media-content.js";
import { readMedia } from "../media-input.js";
import { isRecord, type Json, type Params } from "../params.js";
import type { Call, Method, Methods, SandboxState } from "../state.js";
import { readTarget } from "../target.js";
import type { Content } from "../world.js";

const ALBUM_ITEMS_MAX = 10;
const ALBUM_KINDS: ReadonlySet<string> = new Set(["photo", "video", "audio", "document"]);
/** Kinds that an album holds only among themselves. */
const UNMIXED_KINDS: ReadonlySet<string> = new Set(["audio", "document"]);

/** Messages with a file, and albums. */
export const mediaMethods: Methods = {
  sendPhoto: sender("photo"),
  sendDocument: sender("document"),
  sendVideo: sender("video"),
  sendAudio: sender("audio"),
  sendMediaGroup,
};

function sender(kind: FileKind): Method {
  return async (call) => {
    const { params, state } = call;
    const input = await readMedia(state, params, kind, kind);
    const caption = readCaption(params);
    const { chat, markup, content } = readTarget(call);
    const media = mediaContent(state, kind, input, params);
    return state.world.post(chat, state.world.bot, { ...content, ...media, ...caption() }, markup.shown);
  };
}

/**
 * Parses `caption` and returns the function that makes the content of it and of what belongs to it.
 * @throws BotApiError `text is too long`, `can't parse entities: …`; from the function `message caption
 * is too long`
 */
export function readCaption(params: Params, tooLong = "message caption is too long"): () => Content {
  const source = params.text("caption") ?? "";
  const parsed = parseFormattedText(source, params.text("parse_mode"), params.list("caption_entities"));
  return () => {
    const { text, entities } = normalizeText(parsed);
    if (lengthOf(text) > CAPTION_LENGTH_MAX) throw badRequest(tooLong);
    const content: Content = {};
    if (text !== "") content.caption = text;
    if (entities.length > 0) content.caption_entities = entities;
    if (params.flag("show_caption_above_media")) content.show_caption_above_media = true;
    return content;
  };
}

/** An album. Refusals by Telegram's own servers are wrapped; `itemsSentMax` cuts it short for a fault. */
async function sendMediaGroup(call: Call): Promise<TelegramMessage[]> {
  const { params, state, itemsSentMax = Number.POSITIVE_INFINITY } = call;
  const items = readItems(params);
  const contents = await Promise.all(items.map((item) => readItem(state, params.inside(item))));
  const { chat, content } = wrapped(1, () => readTarget(call));
  const group = contents.length > 1 ? { media_group_id: newGroupId() } : {};
  const finished = contents.map((finish, index) => ({
    ...content,
    ...group,
    ...wrapped(index + 1, finish),
  }));
  return finished.slice(0, itemsSentMax).map((item) => state.world.post(chat, state.world.bot, item));
}

function wrapped<T>(item: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof BotApiError ? albumError(error, item) : error;
  }
}

/** A new id for the messages of one album. */
export function newGroupId(): string {
  return `${randomInt(1e9, 9e9)}${randomInt(1e6, 9e6)}`;
}

function readItems(params: Params): Json[] {
  const items = params.list("media");
  if (!params.has("media")) throw badRequest('parameter "media" is required');
  if (!items) throw badRequest("expected an Array of InputMedia");
  if (items.length === 0) throw badRequest("there are no messages to send");
  if (items.length > ALBUM_ITEMS_MAX) throw badRequest("too many messages to send as an album");
  const records = items.map((item) => {
    if (!isRecord(item)) throw badRequest("can't parse InputMedia: expected an Object");
    if (!ALBUM_KINDS.has(String(item.type))) {
      throw badRequest(`can't parse InputMedia: type "${item.type}" can't be used in sendMediaGroup`);
    }
    if (typeof item.media !== "string" || item.media === "") {
      throw badRequest("can't parse InputMedia: media not found");
    }
    return item;
  });
  const kinds = new Set(records.map(({ type }) => String(type)));
  const unmixed = [...kinds].find((kind) => UNMIXED_KINDS.has(kind));
  if (unmixed && kinds.size > 1) throw badRequest(`${unmixed} can't be mixed with other media types`);
  return records;
}

/** Checks one item; the message content is made only once all items are fine. */
async function readItem(state: SandboxState, item: Params): Promise<() => Content> {
  const kind = item.text("type") as FileKind;
  const input = await readMedia(state, item, "media", kind);
  const caption = readCaption(item);
  // In an album a document stays one, whatever it holds.
  const asGiven = kind === "document" ? item.inside({ disable_content_type_detection: true }) : item;
  return () => ({ ...mediaContent(state, kind, input, asGiven), ...caption() });
}
