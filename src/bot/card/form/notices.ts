import { type FormField, fieldNamed, type ModelFields, type Parameters } from "./fields.js";
import type { MainText } from "./missing-fields.js";
import { SILENCED_BY } from "./mode-rules.js";
import { namesVoice } from "./names-voice.js";
import { hasIdlePictures, isHere, picturesIn } from "./picture-fields.js";

/** Words on a card that do not prevent the payment. */
export type Notice =
  | { kind: "pictures_idle" }
  | { kind: "pictures_cut"; name: string; max: number; given: number }
  | { kind: "text_unused"; name: string; toggle: string }
  | { kind: "voice_unused"; toggle: string }
  | { kind: "picture_next"; name: string }
  /** Links that became pictures. */
  | { kind: "links_added"; links: readonly string[] };

/** Lists what the card has to say. `given`: the parameters of the draft, with all its pictures. */
export function noticesOf(
  fields: ModelFields,
  active: readonly FormField[],
  given: Parameters,
  values: Parameters,
  main: MainText,
): Notice[] {
  const cut = active.flatMap((field): Notice[] => {
    const count = field.kind === "pictures" ? picturesIn(given, field.name).length : 0;
    const { name } = field;
    return field.kind === "pictures" && count > field.max
      ? [{ kind: "pictures_cut", name, max: field.max, given: count }]
      : [];
  });
  const unused = Object.entries(SILENCED_BY).flatMap(([name, toggle]): Notice[] => {
    const isUnused = values[toggle] === true && active.some((field) => field.name === name);
    return isUnused && fieldNamed(fields, toggle) ? [{ kind: "text_unused", name, toggle }] : [];
  });
  const silent = unused.length === 0 ? voiceUnused(fields, values, main) : [];
  const idle = hasIdlePictures(fields, given) ? [{ kind: "pictures_idle" } as const] : [];
  return [...linksOf(active, given), ...nextPicture(active, given), ...idle, ...cut, ...unused, ...silent];
}

function voiceUnused(fields: ModelFields, values: Parameters, { name, text }: MainText): Notice[] {
  if (name === undefined || text === undefined || !namesVoice(text)) return [];
  const toggles = new Set(Object.values(SILENCED_BY));
  return [...toggles].flatMap((toggle): Notice[] =>
    values[toggle] === true && fieldNamed(fields, toggle) ? [{ kind: "voice_unused", toggle }] : [],
  );
}

function linksOf(active: readonly FormField[], given: Parameters): Notice[] {
  const pictures = active.flatMap(({ kind, name }) => (kind === "pictures" ? picturesIn(given, name) : []));
  const links = pictures.filter((picture) => !isHere(picture));
  return links.length > 0 ? [{ kind: "links_added", links }] : [];
}

/** Names the field of the next picture, after the first of several single ones such as the frames of a video. */
function nextPicture(active: readonly FormField[], given: Parameters): Notice[] {
  const single = active.filter((field) => field.kind === "pictures" && !field.isList);
  const next = single.find(({ name }) => given[name] === undefined);
  return next && single.some(({ name }) => given[name] !== undefined)
    ? [{ kind: "picture_next", name: next.name }]
    : [];
}
