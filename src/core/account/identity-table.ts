/** Person who owns an account. An account has at most one identity of a kind. */
export interface IdentityRow {
  kind: string;
  subject: string;
  account_id: number;
}

declare module "../../database/schema.js" {
  interface Schema {
    identity: IdentityRow;
  }
}
