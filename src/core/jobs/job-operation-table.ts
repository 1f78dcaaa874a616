/** What was sold with a job, until it has ended. */
export interface JobOperationTable {
  job_id: number;
  operation: string;
}

declare module "../../database/schema.js" {
  interface Schema {
    job_operation: JobOperationTable;
  }
}
