import { z } from "zod";
import { repeatedIn } from "../rows.js";
import { ADMIN_ID } from "../surroundings.js";
import type { SimPath } from "./path.js";

const recipients = z.object({ message_id: z.int(), user_id: z.int() });
const SENT = `
  SELECT message_id, user_id FROM broadcast_recipient JOIN broadcast ON broadcast.id = broadcast_id
  WHERE broadcast_recipient.state = 'sent'`;
const running = z.object({ id: z.int() });

/** An admin sends messages to everybody, stops them and goes on, while the process dies. */
export const broadcasts: SimPath = {
  actsOf: ({ someone, admin }) => [
    [2, () => `${admin.say("/broadcast")}; ${admin.say("news")}`],
    [6, () => admin.press(/^bc:s:/, "/broadcast")],
    [2, () => admin.press(/^bc:[npr]:/, "/broadcast")],
    [1, () => someone().press(/^nw:/, "/settings")],
  ],
  watch: `
    CREATE TRIGGER sim_broadcast AFTER UPDATE OF state ON broadcast WHEN NEW.state <> OLD.state BEGIN
      INSERT INTO sim_act SELECT act FROM (SELECT CASE OLD.state || '-' || NEW.state
        WHEN 'composing-running' THEN 'broadcast' WHEN 'running-stopped' THEN 'broadcast_stop'
        WHEN 'stopped-running' THEN 'broadcast_resume' END AS act) WHERE act IS NOT NULL;
    END;
  `,
  open: ["SELECT 1 FROM broadcast WHERE state = 'running'"],
  judge({ reader, telegram: { copies } }) {
    const toPeople = copies.filter(({ chatId, from }) => chatId !== ADMIN_ID && from === ADMIN_ID);
    const named = toPeople.map(({ chatId, source }) => `${source} to ${chatId}`);
    return [
      ...repeatedIn(named).map((name) => `${name} was sent again`),
      ...reader
        .all(recipients, SENT)
        .filter(({ user_id: id }) => id !== ADMIN_ID)
        .filter(({ message_id, user_id }) => !named.includes(`${message_id} to ${user_id}`))
        .map(({ message_id, user_id }) => `${message_id} to ${user_id} counts as sent`),
      ...reader
        .all(running, "SELECT id FROM broadcast WHERE state = 'running'")
        .map(({ id }) => `broadcast ${id} has not ended`),
    ];
  },
  planted: {
    "a message to everybody that reaches nobody": { dropped: "copyMessage" },
    "a message to everybody that begins again": {
      after: {
        label: "broadcast-sent",
        sql: `DELETE FROM broadcast_recipient WHERE broadcast_id IN (SELECT id FROM broadcast WHERE sent = 2);
          UPDATE broadcast SET last_user_id = 0 WHERE sent = 2`,
      },
    },
  },
};
