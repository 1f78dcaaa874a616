import type { Clock } from "../platform/clock.js";
import type { Ids } from "../platform/ids.js";
import { type AgentOptions, openAgent } from "../platform/outgoing-agent.js";
import type { UpstreamAdapter } from "./adapter.js";
import { OutputFetcher } from "./fetch-outputs.js";
import type { FileInspector } from "./file-inspector.js";
import { createFilePut, ReferencePublisher, type ReferencePublisherOptions } from "./publish.js";
import { ServiceCalls } from "./service-calls.js";

export interface ServiceIoOptions extends Pick<ReferencePublisherOptions, "published"> {
  adapter: UpstreamAdapter;
  key: string;
  root?: URL | undefined;
  agent?: AgentOptions | undefined;
  inspector: Pick<FileInspector, "prepare">;
  clock: Clock;
  ids: Ids;
}

export type ServiceIo = ReturnType<typeof openServiceIo>;

export function openServiceIo({ inspector, published, ...options }: ServiceIoOptions) {
  const { adapter, root, agent = {}, clock } = options;
  const ofRoot = root && adapter.fileHostsOfRoot;
  const hosts = { fileHosts: ofRoot ?? adapter.fileHosts, root, clock };
  const rootHeaders = adapter.filesNeedKey && adapter.headers(options.key);
  const outputs = new OutputFetcher({ ...hosts, rootHeaders, agent, inspector });
  const calls = new ServiceCalls(options);
  const dispatcher = openAgent(agent);
  const references = new ReferencePublisher({
    ...options,
    published,
    ask: (call, signal) => calls.ask(call, signal),
    put: createFilePut({ ...hosts, dispatcher }),
  });
  return {
    calls,
    outputs,
    references,
    close: () => Promise.all([outputs.close(), calls.close(), dispatcher.destroy()]),
  };
}
