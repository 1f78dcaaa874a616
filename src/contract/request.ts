import type { JobId } from "./job.js";
import type { GenerationType, ParameterValue } from "./model.js";

/** The body of one paid POST (section 4.4), canonical names only. */
export interface GenerationRequest {
  type: GenerationType;
  model_key: string;
  prompt?: string;
  [parameter: string]: ParameterValue | undefined;
}

/** What an accepted submission answers (section 4.4). Amounts in rubles. */
export interface Accepted {
  job_id: JobId;
  job_ids: readonly JobId[];
  status: "queued";
  cost_rub: number;
  unit_cost_rub?: number;
}
