import { expect, test } from "vitest";
import type { GatewayJob } from "../../../src/ports/gateway.js";
import { IMAGE, openTestCore, order, quote, type TestCore } from "../../support/core.js";
import { eventually } from "../../support/eventually.js";
import { catalogueWith, serviceMapping } from "../../support/service-mappings.js";
import { createStubService } from "../../support/stub-provider.js";

let world: TestCore;

test("whoever watches a job hears its place in the queue of its service, and when the wait ends, not before", async () => {
  const provider = createStubService("remote");
  provider.holds = true;
  const mappings = { [IMAGE.model_key]: { remote: [serviceMapping()] } };
  world = openTestCore({ providers: [provider], catalogue: catalogueWith(mappings) });
  const person = await world.person(1, quote(IMAGE).totalKopecks);
  const { job_ids: jobIds } = await order(person, "one", IMAGE);
  const heard: GatewayJob[] = [];
  const watched = { id: "one", user: { id: 1, name: "Ann" }, jobIds };
  const end = world.core.jobFeed.watch(watched, async ([job]) => void (job && heard.push(job)));
  const hears = (what: string, isSo: (job: GatewayJob) => boolean) =>
    eventually(what, () => heard.splice(0).some(isSo));
  const isMade = ({ status, waiting }: GatewayJob) => status === "generating" && !waiting;
  await world.core.start();
  const [held] = await eventually("the job runs", () => provider.held.length > 0 && provider.held);
  await eventually("it was given to its service", () =>
    heard.some(({ status, waiting }) => status === "generating" && !!waiting),
  );
  expect(heard.filter(isMade)).toEqual([]);
  held?.tellQueue(undefined);
  await hears("that it is made", isMade);
  held?.tellQueue({});
  await hears("a wait", ({ waiting }) => waiting !== undefined && waiting.position === undefined);
  held?.tellQueue({ position: 3 });
  await hears("its place", ({ waiting }) => waiting?.position === 3);
  held?.tellQueue({ position: 2 });
  await hears("its next place", ({ waiting }) => waiting?.position === 2);
  held?.tellQueue(undefined);
  await hears("the end of the wait", isMade);
  held?.tellQueue({ position: 9 });
  held?.finish();
  await hears("the end", ({ status, waiting }) => status === "done" && !waiting);
  end();
});
