import type { JobId } from "./job.js";
import type { GenerationType, ParameterValue } from "./model.js";

/** Body of a paid POST (section 4.4), with canonical names only. */
export interface GenerationRequest {
  type: GenerationType;
  model_key: string;
  prompt?: string;
  [parameter: string]: ParameterValue | undefined;
}

/** Response to an accepted submission (section 4.4). Amounts in rubles. */
export interface Accepted {
  job_id: JobId;
  job_ids: readonly JobId[];
  status: "queued";
  cost_rub: number;
  unit_cost_rub?: number;
}
