import { element } from "./dom.js";
import { playTime } from "./format.js";
import { icon } from "./icons.js";
import type { Words } from "./words/words.js";

/** Track that plays: the only one, in all panes. */
let playing: HTMLAudioElement | undefined;

export interface Track {
  url: string;
  title: string;
  performer: string | undefined;
  coverUrl: string | undefined;
  /** Seconds, as the message says; the file itself may correct it. */
  duration: number;
  kind: "audio" | "voice";
}

/** A small player: cover with play and pause, title, a bar to seek, time. Nothing is loaded before it plays. */
export function trackPlayer(track: Track, words: Words): HTMLElement {
  const audio = element("audio", { preload: "none", src: track.url });
  const toggle = element(
    "button",
    { type: "button", class: "track-toggle", "aria-label": words.play },
    icon("play"),
  );
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
