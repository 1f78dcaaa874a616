import type { PageEvent } from "../protocol.js";

/** What a window hears about one person: an event, or that the stream was opened or lost. */
export type StreamMessage =
  | { person: number; event: PageEvent }
  | { person: number; status: "open" | "lost" };

const REOPEN_DELAY_MS = 2_000;

/** Opens the stream of one person for good: the browser reconnects, and where it gives up this does. */
export function openStream(person: number, hear: (message: StreamMessage) => void): void {
  const source = new EventSource(`/chat/events?person=${person}`);
  source.addEventListener("open", () => hear({ person, status: "open" }));
  source.addEventListener("message", ({ data }: MessageEvent<string>) => {
    hear({ person, event: JSON.parse(data) as PageEvent });
  });
  source.addEventListener("error", () => {
    hear({ person, status: "lost" });
    // A browser retries a dropped connection, but not an answer such as 502.
    if (source.readyState === EventSource.CLOSED) setTimeout(() => openStream(person, hear), REOPEN_DELAY_MS);
  });
}

/** Hears the streams of several people: through the shared worker, or alone where there is none. */
export function hearPeople(people: readonly number[], hear: (message: StreamMessage) => void): void {
  const openAll = () => {
    for (const person of people) openStream(person, hear);
  };
  if (typeof SharedWorker === "undefined") {
    openAll();
    return;
  }
  const worker = new SharedWorker(new URL("./stream-worker.js", import.meta.url), {
    type: "module",
    name: "atelier-sandbox-stream",
  });
  worker.addEventListener("error", openAll, { once: true });
  worker.port.addEventListener("message", ({ data }: MessageEvent<StreamMessage>) => hear(data));
  worker.port.start();
  worker.port.postMessage({ people });
  addEventListener("pagehide", () => worker.port.postMessage({ people: [] }));
  addEventListener("pageshow", (event) => {
    // Back from the back-forward cache: this port left when the page was hidden.
    if (event.persisted) worker.port.postMessage({ people });
  });
}
