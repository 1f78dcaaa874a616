import type { TelegramMessage } from "@gramio/types";
import { fileUrl } from "./api.js";
import { element } from "./dom.js";
import { playTime } from "./format.js";
import { icon } from "./icons.js";
import type { Words } from "./words/words.js";

/** A video that shows only its picture, a round button and its length until it plays; a GIF plays at once. */
export function videoPlayer(message: TelegramMessage, words: Words): HTMLElement[] {
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
export function videoStill({ video }: TelegramMessage, words: Words): HTMLElement[] {
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
  const start = element("button", { type: "button", class: "video-start", "aria-label": label }, playBadge());
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
