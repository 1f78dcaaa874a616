import { expect, test } from "vitest";
import { withResultsReadOnce } from "../../../../src/bot/orders/delivery/read-once.js";
import { Unavailable } from "../../../../src/contract/errors.js";
import type { JobId } from "../../../../src/contract/job.js";
import { FakeService } from "../../../support/fake-gateway.js";
import { keepResults } from "../../../support/kept-results.js";

function open() {
  const service = new FakeService();
  const account = service.gateway();
  keepResults(account);
  const asked: JobId[] = [];
  const results = account.results.bind(account);
  account.results = (id) => {
    asked.push(id);
    return results(id);
  };
  return { service, asked, gateway: withResultsReadOnce(account) };
}

test("the files of a job are asked for once, those of each job apart", async () => {
  const { gateway, asked } = open();
  const [first] = await Promise.all([gateway.results(1), gateway.results(1), gateway.results(2)]);
  expect(await gateway.results(1)).toBe(first);
  expect(asked).toEqual([1, 2]);
});

test("a failure is remembered too", async () => {
  const { service, gateway, asked } = open();
  service.failNext("results", new Unavailable("unreachable"));
  await expect(gateway.results(1)).rejects.toThrow(Unavailable);
  await expect(gateway.results(1)).rejects.toThrow(Unavailable);
  expect(asked).toEqual([1]);
});
