import type { TelegramInvoice, TelegramMessage, TelegramPhotoSize, TelegramSticker } from "@gramio/types";
import { fileUrl } from "./api.js";
import { element, makeButton } from "./dom.js";
import { byteSize, playTime } from "./format.js";
import { icon } from "./icons.js";
import type { Words } from "./words/words.js";

/** A video that shows only its picture, a round button and its length until it plays; a GIF plays at once. */
function videoPlayer(message: TelegramMessage, words: Words): HTMLElement[] {
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
    loop: isLoop,
    autoplay: isLoop,
  });
  // The attribute alone is ignored on elements that a script made.
  video.muted = isLoop;
  return isLoop ? [video] : [video, ...startOf(video, file?.duration ?? 0, words)];
}

/** The still of a video in an album; the viewer plays it. */
function videoStill({ video }: TelegramMessage, words: Words): HTMLElement[] {
  if (video === undefined) return [];
  const still = video.thumbnail
    ? element("img", { class: "video-still", src: fileUrl(video.thumbnail.file_id), alt: words.video })
    : element("video", {
        class: "video-still",
        src: fileUrl(video.file_id),
        preload: "metadata",
        muted: true,
      });
  return [still, playBadge(), lengthBadge(video.duration)];
}

/** The browser's controls come when the video plays, and go when it has ended. */
function startOf(video: HTMLVideoElement, seconds: number, words: Words): HTMLElement[] {
  const length = lengthBadge(seconds);
  const label = words.playVideo;
  const start = makeButton({ class: "video-start", "aria-label": label }, playBadge());
  const show = (isPlaying: boolean) => {
    video.controls = isPlaying;
    start.hidden = isPlaying;
    length.hidden = isPlaying;
  };
  start.addEventListener("click", () => {
    show(true);
    video.focus({ preventScroll: true });
    video.play().catch(() => show(false));
  });
  video.addEventListener("ended", () => show(false));
  return [length, start];
}

function playBadge(): HTMLElement {
  return element("span", { class: "play-badge" }, icon("play"));
}

function lengthBadge(seconds: number): HTMLElement {
  return element("span", { class: "duration-badge" }, playTime(seconds));
}

/** Track that plays: the only one, in all panes. */
let playing: HTMLAudioElement | undefined;

interface Track {
  url: string;
  title: string;
  performer: string | undefined;
  coverUrl: string | undefined;
  /** Seconds, as the message says; the file itself may correct it. */
  duration: number;
  kind: "audio" | "voice";
}

/** A small player: cover with play and pause, title, a bar to seek, time. Nothing is loaded before it plays. */
function trackPlayer(track: Track, words: Words): HTMLElement {
  const audio = element("audio", { preload: "none", src: track.url });
  const toggle = makeButton({ class: "track-toggle", "aria-label": words.play }, icon("play"));
  const seek = element("input", {
    type: "range",
    class: "track-seek",
    min: 0,
    max: Math.max(track.duration, 1),
    step: 0.1,
    value: 0,
    "aria-label": words.position,
  });
  const time = element("span", { class: "track-time" }, playTime(track.duration));

  const show = () => {
    const length = Number.isFinite(audio.duration) ? audio.duration : track.duration;
    seek.max = String(Math.max(length, 0.1));
    seek.value = String(audio.currentTime);
    seek.style.setProperty("--played", `${(audio.currentTime / Math.max(length, 0.1)) * 100}%`);
    const hasStarted = audio.currentTime > 0;
    time.textContent = hasStarted ? `${playTime(audio.currentTime)} / ${playTime(length)}` : playTime(length);
  };
  const showToggle = () => {
    toggle.replaceChildren(icon(audio.paused ? "play" : "pause"));
    toggle.setAttribute("aria-label", audio.paused ? words.play : words.pause);
  };
  toggle.addEventListener("click", () => {
    if (!audio.paused) {
      audio.pause();
      return;
    }
    if (playing !== audio) playing?.pause();
    playing = audio;
    audio.play().catch(() => time.replaceChildren(words.notPlayable));
  });
  seek.addEventListener("input", () => {
    audio.currentTime = Number(seek.value);
    show();
  });
  for (const name of ["timeupdate", "loadedmetadata", "ended"]) audio.addEventListener(name, show);
  for (const name of ["play", "pause", "ended"]) audio.addEventListener(name, showToggle);

  const cover = element("div", { class: "track-cover" });
  if (track.coverUrl !== undefined) {
    cover.append(element("img", { src: track.coverUrl, alt: "", loading: "lazy", class: "cover" }));
  }
  cover.append(toggle);
  const lines = element(
    "div",
    { class: "track-words" },
    track.kind === "audio" && element("div", { class: "track-title", title: track.title }, track.title),
    track.performer !== undefined && element("div", { class: "track-performer" }, track.performer),
    element("div", { class: "track-bar" }, seek, time),
  );
  return element("div", { class: `track is-${track.kind}`, "data-testid": track.kind }, cover, lines, audio);
}

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
  const { photo, video, animation, audio, voice, document, sticker, invoice } = message;
  const all = [photo, video, animation, audio, voice, document, sticker, invoice];
  return all.every((part) => part === undefined) ? "" : JSON.stringify(all);
}

/** Renders whatever a message carries beside its text; nothing for a plain text. */
export function renderMedia(
  message: TelegramMessage,
  open: () => void,
  words: Words,
): HTMLElement | undefined {
  const size = visualSize(message);
  if (size !== undefined) return framed(message, size, open, words);
  if (message.invoice) return renderInvoice(message.invoice, words);
  if (message.audio) {
    const { audio } = message;
    const track = {
      url: fileUrl(audio.file_id),
      title: audio.title ?? audio.file_name ?? words.audio,
      performer: audio.performer,
      coverUrl: audio.thumbnail && fileUrl(audio.thumbnail.file_id),
      duration: audio.duration,
      kind: "audio" as const,
    };
    return trackPlayer(track, words);
  }
  if (message.voice) {
    const { voice } = message;
    const url = fileUrl(voice.file_id);
    const track = {
      url,
      title: words.voice,
      performer: undefined,
      coverUrl: undefined,
      duration: voice.duration,
      kind: "voice" as const,
    };
    return trackPlayer(track, words);
  }
  if (message.sticker) return sticker(message.sticker, words);
  return documentCard(message, words);
}

/** A picture or video for a tile of an album or for a bubble, without a frame of its own. */
export function renderVisual(
  message: TelegramMessage,
  isTile: boolean,
  open: () => void,
  words: Words,
): HTMLElement[] {
  if (message.photo) {
    const size = previewSize(message.photo);
    const image = element("img", {
      class: "photo",
      src: size && fileUrl(size.file_id),
      width: size?.width,
      height: size?.height,
      alt: message.caption ? `${words.photo}: ${message.caption.slice(0, 80)}` : words.photo,
      decoding: "async",
    });
    return [makeButton({ class: "photo-button", "aria-label": words.openPhoto, onclick: open }, image)];
  }
  if (message.video && isTile) {
    const attributes = { class: "photo-button", "aria-label": words.openVideo, onclick: open };
    return [makeButton(attributes, ...videoStill(message, words))];
  }
  return videoPlayer(message, words);
}

/** The box has its final shape before a byte has come, so nothing jumps when the picture does. */
function framed(
  message: TelegramMessage,
  size: { width: number; height: number },
  open: () => void,
  words: Words,
): HTMLElement {
  const ratio = Math.min(Math.max(size.width / size.height, 0.5), 2.6);
  const width = Math.max(
    Math.min(FRAME_WIDTH_MAX, FRAME_HEIGHT_MAX * ratio, Math.max(size.width, FRAME_WIDTH_MIN)),
    FRAME_WIDTH_MIN,
  );
  const frame = element("div", { class: "frame" }, ...renderVisual(message, false, open, words));
  frame.style.setProperty("--frame-width", `${Math.round(width)}px`);
  frame.style.setProperty("--frame-ratio", String(ratio));
  return frame;
}

function previewSize(sizes: readonly TelegramPhotoSize[]): TelegramPhotoSize | undefined {
  const sorted = sizes.toSorted((a, b) => a.width - b.width);
  return sorted.find((size) => Math.max(size.width, size.height) >= PREVIEW_SIDE) ?? sorted.at(-1);
}

function documentCard(message: TelegramMessage, words: Words): HTMLElement | undefined {
  const { document } = message;
  if (document === undefined) return undefined;
  const name = document.file_name ?? words.file;
  const extension = name.includes(".") ? (name.split(".").at(-1) ?? "").slice(0, 4) : "";
  const badge = document.thumbnail
    ? element("img", { class: "document-thumbnail", src: fileUrl(document.thumbnail.file_id), alt: "" })
    : element("span", { class: "document-icon" }, icon("file"), element("span", {}, extension));
  const size = [byteSize(document.file_size, words), extension.toUpperCase()].filter(Boolean).join(" · ");
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

function sticker(sticker: TelegramSticker, words: Words): HTMLElement {
  const src = fileUrl(sticker.file_id);
  return element("img", {
    class: "sticker",
    src,
    width: sticker.width,
    height: sticker.height,
    alt: `${words.sticker} ${sticker.emoji ?? ""}`,
  });
}

function renderInvoice({ title, description }: TelegramInvoice, words: Words): HTMLElement {
  return element(
    "div",
    { class: "invoice", "data-testid": "invoice", "aria-label": words.invoice },
    element("div", { class: "invoice-title", dir: "auto" }, title),
    element("div", { class: "invoice-text", dir: "auto" }, description),
  );
}
