import type { TelegramMessage, TelegramPhotoSize, TelegramSticker } from "@gramio/types";
import { fileUrl } from "./api.js";
import { element } from "./dom.js";
import { byteSize, fullName, playTime } from "./format.js";
import { icon } from "./icons.js";
import { trackPlayer } from "./player.js";

const FRAME_WIDTH_MAX = 380;
const FRAME_HEIGHT_MAX = 440;
const FRAME_WIDTH_MIN = 180;
/** A bubble needs no more pixels than this; the lightbox takes the largest size. */
const PREVIEW_SIDE = 900;

/** Width and height of a picture or a video, or nothing for other messages. */
export function visualSize(message: TelegramMessage): { width: number; height: number } | undefined {
  const visual = message.photo?.at(-1) ?? message.video ?? message.animation;
  return visual === undefined ? undefined : { width: visual.width || 1, height: visual.height || 1 };
}

/** What of a message's media would make it look different: an edit that keeps it leaves the media alone. */
export function mediaSignature(message: TelegramMessage): string {
  const { photo, video, animation, audio, voice, document, sticker, video_note, dice, contact } = message;
  const parts = [photo, video, animation, audio, voice, document, sticker, video_note, dice, contact];
  const rest = [message.location, message.poll, message.invoice, message.has_media_spoiler];
  const all = [...parts, ...rest];
  return all.every((part) => part === undefined) ? "" : JSON.stringify(all);
}

/** Renders whatever a message carries beside its text; nothing for a plain text. */
export function renderMedia(message: TelegramMessage, open: () => void): HTMLElement | undefined {
  const size = visualSize(message);
  if (size !== undefined) return framed(message, size, open);
  if (message.audio) {
    const { audio } = message;
    return trackPlayer({
      url: fileUrl(audio.file_id),
      title: audio.title ?? audio.file_name ?? "Audio",
      performer: audio.performer,
      coverUrl: audio.thumbnail && fileUrl(audio.thumbnail.file_id),
      duration: audio.duration,
      kind: "audio",
    });
  }
  if (message.voice) {
    const { voice } = message;
    const url = fileUrl(voice.file_id);
    return trackPlayer({
      url,
      title: "Voice",
      performer: undefined,
      coverUrl: undefined,
      duration: voice.duration,
      kind: "voice",
    });
  }
  if (message.sticker) return sticker(message.sticker);
  if (message.video_note) {
    return element("video", {
      class: "video-note",
      src: fileUrl(message.video_note.file_id),
      controls: true,
      playsinline: true,
      preload: "metadata",
    });
  }
  if (message.document) return documentCard(message);
  return oddity(message);
}

/** A picture or video for a tile of an album or for a bubble, without a frame of its own. */
export function renderVisual(message: TelegramMessage, isTile: boolean, open: () => void): HTMLElement[] {
  if (message.photo) {
    const size = previewSize(message.photo);
    const image = element("img", {
      class: "photo",
      src: size && fileUrl(size.file_id),
      width: size?.width,
      height: size?.height,
      alt: message.caption ? `Photo: ${message.caption.slice(0, 80)}` : "Photo",
      decoding: "async",
    });
    return [
      element(
        "button",
        { type: "button", class: "photo-button", "aria-label": "Open photo", onclick: open },
        image,
      ),
    ];
  }
  if (message.video && isTile) {
    const poster = message.video.thumbnail && fileUrl(message.video.thumbnail.file_id);
    const still = poster
      ? element("img", { class: "video-still", src: poster, alt: "Video" })
      : element("video", {
          class: "video-still",
          src: fileUrl(message.video.file_id),
          preload: "metadata",
          muted: true,
        });
    const badge = element("span", { class: "duration-badge" }, playTime(message.video.duration));
    const play = element("span", { class: "play-badge" }, icon("play"));
    return [
      element(
        "button",
        { type: "button", class: "photo-button", "aria-label": "Open video", onclick: open },
        still,
        play,
        badge,
      ),
    ];
  }
  return [player(message)];
}

function player(message: TelegramMessage): HTMLVideoElement {
  const isLoop = message.animation !== undefined;
  const file = message.video ?? message.animation;
  const video = element("video", {
    class: isLoop ? "animation" : "video",
    src: file && fileUrl(file.file_id),
    poster: file?.thumbnail && fileUrl(file.thumbnail.file_id),
    width: file?.width,
    height: file?.height,
    playsinline: true,
    preload: "metadata",
    controls: !isLoop,
    loop: isLoop,
    autoplay: isLoop,
  });
  // The attribute alone is ignored on elements that a script made.
  video.muted = isLoop;
  return video;
}

/** The box has its final shape before a byte has come, so nothing jumps when the picture does. */
function framed(
  message: TelegramMessage,
  size: { width: number; height: number },
  open: () => void,
): HTMLElement {
  const ratio = Math.min(Math.max(size.width / size.height, 0.5), 2.6);
  const width = Math.max(
    Math.min(FRAME_WIDTH_MAX, FRAME_HEIGHT_MAX * ratio, Math.max(size.width, FRAME_WIDTH_MIN)),
    FRAME_WIDTH_MIN,
  );
  const frame = element("div", { class: "frame" }, ...renderVisual(message, false, open));
  frame.style.setProperty("--frame-width", `${Math.round(width)}px`);
  frame.style.setProperty("--frame-ratio", String(ratio));
  if (message.has_media_spoiler) coverSpoiler(frame);
  return frame;
}

function coverSpoiler(frame: HTMLElement): void {
  const cover = element("button", {
    type: "button",
    class: "media-spoiler",
    "aria-label": "Show hidden media",
  });
  cover.addEventListener("click", () => {
    frame.classList.remove("is-hidden");
    cover.remove();
  });
  frame.classList.add("is-hidden");
  frame.append(cover);
}

function previewSize(sizes: readonly TelegramPhotoSize[]): TelegramPhotoSize | undefined {
  const sorted = sizes.toSorted((a, b) => a.width - b.width);
  return sorted.find((size) => Math.max(size.width, size.height) >= PREVIEW_SIDE) ?? sorted.at(-1);
}

function documentCard(message: TelegramMessage): HTMLElement | undefined {
  const { document } = message;
  if (document === undefined) return undefined;
  const name = document.file_name ?? "File";
  const extension = name.includes(".") ? (name.split(".").at(-1) ?? "").slice(0, 4) : "";
  const badge = document.thumbnail
    ? element("img", { class: "document-thumbnail", src: fileUrl(document.thumbnail.file_id), alt: "" })
    : element("span", { class: "document-icon" }, icon("file"), element("span", {}, extension));
  const size = [byteSize(document.file_size), extension.toUpperCase()].filter(Boolean).join(" · ");
  return element(
    "a",
    { class: "document", "data-testid": "document", href: fileUrl(document.file_id), download: name },
    badge,
    element(
      "span",
      { class: "document-words" },
      element("span", { class: "document-name" }, name),
      element("span", { class: "document-size" }, size),
    ),
    element("span", { class: "document-download" }, icon("download")),
  );
}

function sticker(sticker: TelegramSticker): HTMLElement {
  const src = fileUrl(sticker.file_id);
  if (sticker.is_video) {
    const video = element("video", { class: "sticker", src, autoplay: true, loop: true, playsinline: true });
    video.muted = true;
    return video;
  }
  if (sticker.is_animated) return element("div", { class: "sticker-emoji" }, sticker.emoji ?? "▢");
  return element("img", {
    class: "sticker",
    src,
    width: sticker.width,
    height: sticker.height,
    alt: `Sticker ${sticker.emoji ?? ""}`,
  });
}

/** Kinds that a bot of this trade seldom sends: named, so that nothing arrives as an empty bubble. */
function oddity(message: TelegramMessage): HTMLElement | undefined {
  const name = message.dice
    ? `${message.dice.emoji} ${message.dice.value}`
    : message.contact
      ? `Contact: ${message.contact.first_name} ${message.contact.phone_number}`
      : message.location
        ? `Location: ${message.location.latitude}, ${message.location.longitude}`
        : message.poll
          ? `Poll: ${message.poll.question}`
          : message.invoice
            ? `Invoice: ${message.invoice.title}, ${message.invoice.total_amount} ${message.invoice.currency}`
            : undefined;
  return name === undefined ? undefined : element("div", { class: "oddity" }, name);
}

/** One line that stands for a message in a quote: its text, or what it carries. */
export function summary(message: TelegramMessage): string {
  const text = message.text ?? message.caption;
  if (text) return text.replaceAll(/\s+/gu, " ");
  if (message.photo) return "Photo";
  if (message.video || message.video_note) return "Video";
  if (message.animation) return "GIF";
  if (message.audio)
    return [message.audio.performer, message.audio.title].filter(Boolean).join(" – ") || "Audio";
  if (message.voice) return "Voice message";
  if (message.sticker) return `${message.sticker.emoji ?? ""} Sticker`.trim();
  if (message.document) return message.document.file_name ?? "File";
  return message.from ? `Message of ${fullName(message.from)}` : "Message";
}
