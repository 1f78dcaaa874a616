import type { TelegramMessageEntity } from "@gramio/types";
import { type Attributes, type Child, element, makeButton } from "./dom.js";
import { icon } from "./icons.js";
import { safeUrl } from "./links.js";
import type { Words } from "./words/words.js";

/** What a reader may do with a piece of text. */
export interface TextActions {
  readonly words: Words;
  sendCommand(text: string): void;
  openLink(url: string): void;
  copy(text: string): void;
}

/**
 * Renders a text with Telegram's entities, whose offsets count UTF-16 units as JavaScript's strings do.
 * Entities nest; one that starts inside another is rendered inside it.
 */
export function richText(
  text: string,
  entities: readonly TelegramMessageEntity[] | undefined,
  actions: TextActions,
): DocumentFragment {
  const sorted = (entities ?? []).toSorted((a, b) => a.offset - b.offset || b.length - a.length);
  return renderRange(text, sorted, 0, text.length, actions);
}

function renderRange(
  text: string,
  entities: readonly TelegramMessageEntity[],
  from: number,
  to: number,
  actions: TextActions,
): DocumentFragment {
  const fragment = document.createDocumentFragment();
  let position = from;
  let index = 0;
  while (index < entities.length) {
    const entity = entities[index];
    if (entity === undefined) break;
    const end = Math.min(entity.offset + entity.length, to);
    let next = index + 1;
    while ((entities[next]?.offset ?? Number.POSITIVE_INFINITY) < end) next += 1;
    if (entity.offset > position) fragment.append(text.slice(position, entity.offset));
    const inner = renderRange(text, entities.slice(index + 1, next), entity.offset, end, actions);
    const made = wrap(entity, text.slice(entity.offset, end), inner, actions);
    fragment.append(made);
    position = end;
    // The break after a block is the block's own end; kept, it would show as an empty line.
    if (isBlock(entity) && text[position] === "\n") position += 1;
    index = next;
  }
  if (position < to) fragment.append(text.slice(position, to));
  return fragment;
}

function isBlock(entity: TelegramMessageEntity): boolean {
  return ["pre", "blockquote", "expandable_blockquote"].includes(entity.type);
}

const TAGS = {
  bold: "strong",
  italic: "em",
  underline: "u",
  strikethrough: "s",
  blockquote: "blockquote",
} as const;

function wrap(
  entity: TelegramMessageEntity,
  text: string,
  inner: DocumentFragment,
  actions: TextActions,
): Node {
  switch (entity.type) {
    case "bold":
    case "italic":
    case "underline":
    case "strikethrough":
    case "blockquote":
      return element(TAGS[entity.type], {}, inner);
    case "code":
      return copyable(element("code", { title: actions.words.copy }, inner), text, actions);
    case "pre":
      return codeBlock(entity, text, inner, actions);
    case "expandable_blockquote":
      return expandable(inner);
    case "spoiler":
      return spoiler(inner, actions.words.hiddenText);
    case "url":
      return link(text, inner, actions);
    case "text_link":
      return link(entity.url ?? "", inner, actions);
    case "email":
      return link(`mailto:${text}`, inner, actions);
    case "phone_number":
      return link(`tel:${text.replaceAll(/[^\d+]/gu, "")}`, inner, actions);
    case "bot_command":
      return makeButton(
        { class: "inline-link", "data-command": text, onclick: () => actions.sendCommand(text) },
        inner,
      );
    case "date_time":
      return localTime(entity, inner, actions.words);
    case "mention":
    case "text_mention":
    case "hashtag":
    case "cashtag":
      return element("span", { class: "mention" }, inner);
    default:
      return inner;
  }
}

/**
 * Shows a moment in the zone and the language of the reader, as Telegram does; relative ones stay as they are written.
 * Telegram's formats: `d` 17.03.22, `D` March 17, 2022, `t` 22:45, `T` 22:45:00, `w` the day of the week.
 */
function localTime(
  { unix_time = 0, date_time_format: format = "" }: TelegramMessageEntity,
  inner: Node,
  { locale }: Words,
): Node {
  const date = new Date(unix_time * 1000);
  const options: Intl.DateTimeFormatOptions = {
    ...(format.includes("w") && { weekday: "short" }),
    ...(format.includes("d") && { day: "2-digit", month: "2-digit", year: "2-digit" }),
    ...(format.includes("D") && { day: "numeric", month: "long", year: "numeric" }),
    ...(/[tT]/.test(format) && { hour: "2-digit", minute: "2-digit" }),
    ...(format.includes("T") && { second: "2-digit" }),
  };
  const isWritten = format === "" || format === "r";
  const text = isWritten ? inner : date.toLocaleString(locale, options);
  return element("time", { datetime: date.toISOString() }, text);
}

function link(address: string, inner: DocumentFragment, actions: TextActions): Node {
  const href = safeUrl(address);
  return href === undefined ? inner : anchor(href, { title: href }, actions, inner);
}

/** A link that is opened as the pane opens links; without an address it opens nothing. */
export function anchor(
  href: string | undefined,
  attributes: Attributes,
  actions: Pick<TextActions, "openLink">,
  ...children: Child[]
): HTMLAnchorElement {
  const onclick = (event: Event) => {
    event.preventDefault();
    if (href !== undefined) actions.openLink(href);
  };
  const rest = { href, target: "_blank", rel: "noopener noreferrer", onclick };
  return element("a", { ...attributes, ...rest }, ...children);
}

/** A click copies, a selection by mouse does not. */
function copyable<T extends HTMLElement>(made: T, text: string, actions: TextActions): T {
  made.addEventListener("click", () => {
    if (getSelection()?.isCollapsed !== false) actions.copy(text);
  });
  return made;
}

function codeBlock(
  entity: TelegramMessageEntity,
  text: string,
  inner: DocumentFragment,
  actions: TextActions,
): Node {
  const copy = makeButton(
    { class: "copy-code", "aria-label": actions.words.copyCode, onclick: () => actions.copy(text) },
    icon("copy"),
  );
  const head = element("div", { class: "code-head" }, element("span", {}, entity.language ?? "code"), copy);
  return element("div", { class: "code-block" }, head, element("pre", { tabindex: 0 }, inner));
}

function expandable(inner: DocumentFragment): Node {
  const quote = element("blockquote", {
    class: "expandable",
    tabindex: 0,
    role: "button",
    "aria-expanded": "false",
  });
  quote.append(inner);
  const toggle = () => {
    quote.setAttribute("aria-expanded", String(quote.getAttribute("aria-expanded") !== "true"));
  };
  quote.addEventListener("click", toggle);
  quote.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") toggle();
  });
  return quote;
}

function spoiler(inner: DocumentFragment, label: string): Node {
  const cover = element("span", {
    class: "spoiler",
    role: "button",
    tabindex: 0,
    "aria-label": label,
  });
  cover.append(inner);
  const reveal = () => {
    cover.classList.add("is-revealed");
    cover.removeAttribute("role");
    cover.removeAttribute("aria-label");
    cover.removeAttribute("tabindex");
  };
  cover.addEventListener("click", reveal);
  cover.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") reveal();
  });
  return cover;
}
