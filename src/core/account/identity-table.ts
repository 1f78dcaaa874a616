/** Who an account belongs to. An account has at most one identity of a kind. */
export interface IdentityRow {
  /** The front-end that knows the person. */
  kind: string;
  /** The id of the person there. */
  subject: string;
  account_id: number;
}

declare module "../../database/schema.js" {
  interface Schema {
    identity: IdentityRow;
  }
}
