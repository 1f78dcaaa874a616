import type { JobId } from "../../../contract/job.js";
import type { Gateway, ResultFile } from "../../../ports/gateway.js";

/**
 * A gateway for one attempt of a delivery: the files of a job are read once for all of its files, also where the
 * reading fails.
 */
export function withResultsReadOnce(gateway: Gateway): Gateway {
  const read = new Map<JobId, Promise<readonly ResultFile[]>>();
  return {
    balance: () => gateway.balance(),
    models: () => gateway.models(),
    submit: (request, order) => gateway.submit(request, order),
    job: (id) => gateway.job(id),
    refundLost: (orderId, jobIds) => gateway.refundLost(orderId, jobIds),
    publishReference: (file) => gateway.publishReference(file),
    results(id) {
      const known = read.get(id);
      if (known) return known;
      const files = gateway.results(id);
      read.set(id, files);
      return files;
    },
  };
}
