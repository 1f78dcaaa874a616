/** What was sold with a job, until it has ended. */
export interface JobOperationTable {
  job_id: number;
  /** See `storedForm`. */
  operation: string;
}

declare module "../../database/schema.js" {
  interface Schema {
    job_operation: JobOperationTable;
  }
}
