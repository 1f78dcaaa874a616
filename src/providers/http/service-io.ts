import type { Clock } from "../../platform/clock.js";
import type { Ids } from "../../platform/ids.js";
import { type AgentOptions, openAgent } from "../../platform/outgoing-agent.js";
import type { UpstreamAdapter } from "./adapter.js";
import { ServiceCalls } from "./driver/service-calls.js";
import { OutputFetcher } from "./outputs/fetch-outputs.js";
import type { FileInspector } from "./outputs/file-inspector.js";
import { ReferencePublisher, type ReferencePublisherOptions } from "./references/publish.js";
import { createFilePut } from "./references/put-file.js";

export interface ServiceIoOptions extends Pick<ReferencePublisherOptions, "link"> {
  adapter: UpstreamAdapter;
  key: string;
  root?: URL | undefined;
  agent?: AgentOptions | undefined;
  inspector: Pick<FileInspector, "prepare">;
  clock: Clock;
  ids: Ids;
}

export type ServiceIo = ReturnType<typeof openServiceIo>;

export function openServiceIo({ inspector, link, ...options }: ServiceIoOptions) {
  const { adapter, root, agent = {}, clock } = options;
  const ofRoot = root && adapter.fileHostsOfRoot;
  const hosts = { fileHosts: ofRoot ?? adapter.fileHosts, root, clock };
  const rootHeaders = adapter.filesNeedKey && adapter.headers(options.key);
  const outputs = new OutputFetcher({ ...hosts, rootHeaders, agent, inspector });
  const calls = new ServiceCalls(options);
  const dispatcher = openAgent(agent);
  const references = new ReferencePublisher({
    ...options,
    link,
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
