import type { Sandbox } from "../src/index.js";
import type { PageEvent } from "../src/protocol.js";

/** The event stream of a person, as the page reads it. */
export interface EventStream {
  /** The next event that matches; the ones before it are dropped. */
  next(matches: (event: PageEvent) => boolean): Promise<PageEvent>;
  close(): void;
}

export async function openStream(sandbox: Sandbox, person: number): Promise<EventStream> {
  const abort = new AbortController();
  const response = await fetch(`${sandbox.url}/chat/events?person=${person}`, { signal: abort.signal });
  if (!response.body) throw new Error(`no stream: ${response.status}`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  const read = async (): Promise<PageEvent> => {
    for (;;) {
      const end = buffer.indexOf("\n\n");
      if (end >= 0) {
        const block = buffer.slice(0, end);
        buffer = buffer.slice(end + 2);
        if (block.startsWith("data: ")) return JSON.parse(block.slice("data: ".length)) as PageEvent;
        continue;
      }
      const { done, value } = await reader.read();
      if (done) throw new Error("the stream ended");
      buffer += value;
    }
  };
  return {
    async next(matches) {
      for (;;) {
        const event = await read();
        if (matches(event)) return event;
      }
    },
    close: () => abort.abort(),
  };
}
