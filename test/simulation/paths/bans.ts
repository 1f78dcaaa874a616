import type { SimPath } from "./path.js";

const TERMS = ["", "spam", "spam 2h", "1d", "2h"];

/** Admins ban people at any moment, and let them back: the banned keep what they have, and order nothing. */
export const bans: SimPath = {
  actsOf: ({ someone, admin, random }) => [
    [
      4,
      () => {
        const person = someone().id;
        const command = `/ban ${person} ${random.pick(TERMS)}`.trim();
        return random.chance(0.3) ? `${admin.say(command)}; ${admin.say(command)}` : admin.say(command);
      },
    ],
    [2, () => admin.say(`/unban ${someone().id}`)],
    [6, () => someone().act()],
  ],
  // What was said counts, not the row that the service reads.
  watch: `
    CREATE TRIGGER sim_banned_job AFTER INSERT ON job WHEN (
      SELECT act = 'ban' AND coalesce(after ->> '$.until' > NEW.created_at, 1) FROM audit_entry
      WHERE account_id = NEW.account_id AND act IN ('ban', 'unban') ORDER BY id DESC LIMIT 1)
    BEGIN INSERT INTO sim_wrong VALUES ('job ' || NEW.id || ' was ordered by somebody banned'); END;
    CREATE TRIGGER sim_ban AFTER INSERT ON ban BEGIN INSERT INTO sim_act VALUES ('ban'); END;
    CREATE TRIGGER sim_ban_again AFTER UPDATE OF banned_at ON ban
    BEGIN INSERT INTO sim_act VALUES ('ban'); END;
    CREATE TRIGGER sim_unban AFTER DELETE ON ban BEGIN INSERT INTO sim_act VALUES ('unban'); END;
  `,
  planted: {
    "a ban that binds nobody": { after: { label: "account:ban", sql: "UPDATE ban SET until_at = 1" } },
    "an act that is recorded twice": {
      after: {
        label: "account:ban",
        sql: `INSERT INTO audit_entry (at, actor, act, account_id, after)
          SELECT at, actor, act, account_id, after FROM audit_entry WHERE act = 'ban' ORDER BY id DESC LIMIT 1`,
      },
    },
  },
};
