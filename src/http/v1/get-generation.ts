import { ContractError } from "../../contract/errors.js";
import type { JobId } from "../../contract/job.js";
import type { Api } from "../../jobs/api.js";
import { authenticate, type Endpoint, okSchema } from "./endpoint.js";
import { jobExamples } from "./examples.js";
import { JOB, JOB_ID } from "./schemas.js";

const NUMBER = /^[1-9]\d*$/;
const MUSIC = /^music_[1-9]\d*$/;

/** Serves GET /generations/{id} (section 4.5). */
export function getGenerationEndpoint(api: Pick<Api, "authenticate" | "job">): Endpoint {
  return {
    method: "GET",
    path: "/generations/{id}",
    operationId: "getGeneration",
    summary: "The state of a job",
    description:
      "Poll it with a pause of 5 seconds, longer for long generations, until the job's status is `done` or " +
      "`error`. A failed job is answered with status 200 too; `refunded` says whether its cost was refunded. " +
      "Image and video jobs are shown when the API made them, music jobs always. Every answer has newly " +
      "signed links.",
    needsKey: true,
    parameters: {
      id: {
        description: "The `job_id` of the submission: a positive number, or `music_<n>`",
        schema: JOB_ID,
      },
    },
    answer: { schema: okSchema({ job: JOB }), examples: jobExamples },
    errors: ["bad_job_id", "job_not_found"],
    handle(request) {
      const { accountId } = authenticate(api, request);
      const { id } = request.params as { id: string };
      const job = api.job(accountId, jobIdOf(id));
      request.jobIds = [job.job_id];
      return { ok: true, job };
    },
  };
}

/** Reads an id. A number too large to be exact matches no job. */
function jobIdOf(text: string): JobId {
  if (NUMBER.test(text)) return Number(text);
  if (MUSIC.test(text)) return text;
  throw new ContractError("bad_job_id", { param: "id" });
}
