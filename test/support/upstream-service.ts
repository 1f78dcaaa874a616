import { createUpstreams, isServiceName, type UpstreamsOptions } from "@atelier/upstream-stand-ins";
import { onTestFinished } from "vitest";
import { ApiAccount, installAccounts } from "./api-accounts.js";
import { Chatter } from "./chatter.js";
import { ChildService } from "./child-service.js";
import { hastyCatalogue } from "./hasty-catalogue.js";
import { newFolder } from "./new-folder.js";
import { ADMIN, startSandbox, TOKEN } from "./service.js";

const WELCOME_RUB = 1000;
const RESULT_MS = 30_000;

type Answer = Record<string, unknown>;

/** The built service and its bot, with stand-ins of these services. Tasks are looked at every 200 ms. */
export async function startUpstreamService(
  providers: string,
  more: Record<string, string> = {},
  options: UpstreamsOptions = {},
) {
  const sandbox = await startSandbox();
  const stand = await createUpstreams({ hasOwnAddresses: true, ...options });
  const dataDir = newFolder();
  const environment = {
    ...stand.environment(providers.split(",").filter(isServiceName)),
    PROVIDERS: providers,
    DATA_DIR: dataDir,
    CATALOGUE_FILE: hastyCatalogue(dataDir),
    BOT_TOKEN: TOKEN,
    TELEGRAM_API_ROOT: sandbox.url,
    ADMIN_IDS: String(ADMIN.id),
    WELCOME_CREDIT_RUB: String(WELCOME_RUB),
    ...more,
  };
  const service = new ChildService({ TEST_RENDERER: "1", ...environment });
  onTestFinished(async () => {
    await service.kill();
    await stand.close();
  });
  const url = await service.ready();
  const { admin, keys } = await installAccounts(dataDir, 1, WELCOME_RUB);
  const [key = ""] = keys;

  const ask = async (path: string, body?: object): Promise<Answer> => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const init = body ? { method: "POST", body: JSON.stringify(body), headers } : { headers };
    return (await (await fetch(`${url}${path}`, init)).json()) as Answer;
  };
  return {
    sandbox,
    stand,
    url,
    dataDir,
    ask,
    entries: () => admin.entries(1),
    /** Orders by the API, and waits for the end of the job. */
    async make(request: object): Promise<Answer> {
      const client = new ApiAccount(url, key);
      const { job_id: id } = await client.post(request);
      return client.ended(id, RESULT_MS);
    },
    models: async () => (await ask("/v1/models")).models as { model_key: string; title: string }[],
    metrics: async () => (await fetch(`${url}/metrics`)).text(),
    chatter: (person: { id: number }) => new Chatter(sandbox.person(person.id)),
  };
}
