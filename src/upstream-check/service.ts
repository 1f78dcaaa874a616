import type { Clock } from "../platform/clock.js";
import type { Ids } from "../platform/ids.js";
import { type AgentOptions, openAgent } from "../platform/outgoing-agent.js";
import type { UpstreamAdapter } from "../providers/http/adapter.js";
import { ServiceCalls } from "../providers/http/driver/service-calls.js";
import { OutputFetcher } from "../providers/http/outputs/fetch-outputs.js";
import type { FileInspector } from "../providers/http/outputs/file-inspector.js";
import { ReferencePublisher } from "../providers/http/references/publish.js";
import { createFilePut } from "../providers/http/references/put-file.js";

export interface ServiceOptions {
  adapter: UpstreamAdapter;
  key: string;
  root?: URL | undefined;
  agent?: AgentOptions | undefined;
  inspector: Pick<FileInspector, "prepare">;
  clock: Clock;
  ids: Ids;
}

export type OpenService = ReturnType<typeof openService>;

/** The parts that the service of this project sends and downloads with, without its database. */
export function openService({ inspector, ...options }: ServiceOptions) {
  const { adapter, root, agent = {}, clock } = options;
  const calls = new ServiceCalls(options);
  const dispatcher = openAgent(agent);
  const hosts = { fileHosts: adapter.fileHosts, root, clock };
  const outputs = new OutputFetcher({ ...hosts, agent, inspector });
  const references = new ReferencePublisher({
    ...options,
    ask: (call, signal) => calls.ask(call, signal),
    put: createFilePut({ ...hosts, dispatcher }),
  });
  return {
    calls,
    outputs,
    references,
    close: () => Promise.all([calls.close(), dispatcher.destroy(), outputs.close()]),
  };
}
