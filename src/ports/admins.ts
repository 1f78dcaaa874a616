/** Tells who the admins are at this moment: one may be added or removed while the service runs. */
export interface Admins extends Iterable<number> {
  has(userId: number): boolean;
}

export interface NewAdmin {
  userId: number;
  name: string;
  /** Who does it, in the words of `Act`. */
  actor: string;
}

export interface KeptAdmins extends Admins {
  /** Keeps a person as an admin, from the next update on. A second time changes nothing. */
  add(admin: NewAdmin): Promise<void>;
}
