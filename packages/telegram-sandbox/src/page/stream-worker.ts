/*
 * Shared by all windows of the page. A browser opens six connections to a server over HTTP/1.1: three people
 * in two windows would use them all up and every request after them would wait forever. Here each person
 * has one stream, however many windows look at it.
 */
import type { PageEvent } from "../protocol.js";
import { openStream, type StreamMessage } from "./stream.js";

interface Channel {
  ports: Set<MessagePort>;
  isOpen: boolean;
  /** The last commands of each chat: the server tells them when a stream opens, and a second window joins later. */
  commands: Map<number, PageEvent>;
}

const channels = new Map<number, Channel>();

addEventListener("connect", (event) => {
  const port = (event as MessageEvent).ports[0];
  if (port === undefined) return;
  port.addEventListener("message", ({ data }: MessageEvent<{ people: number[] }>) => {
    for (const channel of channels.values()) channel.ports.delete(port);
    for (const person of data.people) join(person, port);
  });
  port.start();
});

function join(person: number, port: MessagePort): void {
  const channel = channels.get(person) ?? open(person);
  channel.ports.add(port);
  if (channel.isOpen) port.postMessage({ person, status: "open" } satisfies StreamMessage);
  for (const event of channel.commands.values()) port.postMessage({ person, event } satisfies StreamMessage);
}

function open(person: number): Channel {
  const channel: Channel = { ports: new Set(), isOpen: false, commands: new Map() };
  channels.set(person, channel);
  openStream(person, (message) => {
    if ("status" in message) channel.isOpen = message.status === "open";
    else if (message.event.type === "commands") channel.commands.set(message.event.chat, message.event);
    for (const port of channel.ports) port.postMessage(message);
  });
  return channel;
}
