import { type Answer, json } from "../call.js";
import type { DialectRoute } from "../dialect.js";
import type { Json } from "../json.js";
import type { UpstreamState } from "../state.js";
import { type Phase, phaseOf, type Task } from "../task.js";

/*
 * Source: comfyanonymous/ComfyUI, server.py. What is cancelled while it waits is in neither list; what is interrupted
 * while it runs is in the history, with an error. POSTs to /queue, /interrupt and /history have an empty answer.
 */

const EMPTY: Answer = { status: 200 };

function tasksOf(state: UpstreamState): Task[] {
  return [...state.tasks.values()].filter(
    ({ service, isForgotten }) => service === "comfyui" && !isForgotten,
  );
}

export function queueRoute(state: UpstreamState): DialectRoute {
  return {
    kind: "plain",
    answer() {
      const now = state.time.now();
      const inPhase = (kind: Phase["kind"]) =>
        tasksOf(state)
          .filter((task) => phaseOf(task, now).kind === kind)
          .map(itemOf);
      return json(200, { queue_running: inPhase("running"), queue_pending: inPhase("queued") });
    },
  };
}

export function changeQueueRoute(state: UpstreamState): DialectRoute {
  return {
    kind: "plain",
    answer({ json: body }) {
      const ids = new Set(Array.isArray(body?.delete) ? body.delete : []);
      for (const task of tasksOf(state)) {
        const isWaiting = phaseOf(task, state.time.now()).kind === "queued";
        if (!isWaiting || !(body?.clear === true || ids.has(task.id))) continue;
        task.isForgotten = true;
        state.keep(task);
      }
      return EMPTY;
    },
  };
}

export function interruptRoute(state: UpstreamState): DialectRoute {
  return {
    kind: "plain",
    answer({ json: body }) {
      const now = state.time.now();
      for (const task of tasksOf(state)) {
        const isMeant = body?.prompt_id === undefined || body.prompt_id === task.id;
        if (!isMeant || phaseOf(task, now).kind !== "running") continue;
        task.cancelledAt = now;
        state.keep(task);
      }
      return EMPTY;
    },
  };
}

/** The oldest first; `max_items` from `offset`, or the last ones. */
export function historyListRoute(state: UpstreamState): DialectRoute {
  return {
    kind: "plain",
    answer({ query }) {
      const now = state.time.now();
      const over = tasksOf(state).filter((task) => isOver(phaseOf(task, now)));
      const count = query.has("max_items") ? Number(query.get("max_items")) : over.length;
      const offset = query.has("offset") ? Number(query.get("offset")) : over.length - count;
      const shown = over.slice(Math.max(0, offset), Math.max(0, offset) + count);
      return json(200, Object.fromEntries(shown.map((task) => [task.id, entryOf(task, phaseOf(task, now))])));
    },
  };
}

function isOver({ kind }: Phase): boolean {
  return kind === "ended" || kind === "cancelled";
}

/** Ids of the nodes that it runs for. */
function outputsOf({ input }: Task): readonly string[] {
  return Array.isArray(input.outputs) ? input.outputs.map(String) : [];
}

/** `[number, id, prompt, extra data, outputs]`. */
function itemOf(task: Task): unknown[] {
  const extra = { client_id: task.input.client_id, create_time: task.acceptedAt };
  return [task.input.number, task.id, task.input.graph, extra, outputsOf(task)];
}

export function historyRoute(id: string): DialectRoute {
  return {
    kind: "task",
    id,
    unknown: json(200, {}),
    strange: (task) =>
      json(200, { [task.id]: { outputs: {}, status: { status_str: "paused", completed: false } } }),
    answer(task, phase) {
      return json(200, isOver(phase) ? { [task.id]: entryOf(task, phase) } : {});
    },
  };
}

function entryOf(task: Task, phase: Phase): Json {
  const prompt = itemOf(task);
  const start = ["execution_start", { prompt_id: task.id, timestamp: task.acceptedAt + task.queueMs }];
  const isMade = phase.kind === "ended" && task.outcome.kind === "made";
  if (!isMade) {
    const kind = phase.kind === "cancelled" ? "execution_interrupted" : "execution_error";
    const messages = [
      start,
      [
        kind,
        {
          prompt_id: task.id,
          node_id: "8",
          node_type: "KSampler",
          executed: [],
          ...(kind === "execution_error" && {
            exception_message: "Allocation on device",
            exception_type: "torch.OutOfMemoryError",
          }),
        },
      ],
    ];
    return { prompt, outputs: {}, status: { status_str: "error", completed: false, messages }, meta: {} };
  }
  const [node] = outputsOf(task);
  const files = task.files.map(({ id }) => ({ filename: `${id}.png`, subfolder: "", type: "output" }));
  const messages = [start, ["execution_success", { prompt_id: task.id }]];
  return {
    prompt,
    outputs: node !== undefined && files.length > 0 ? { [node]: { images: files } } : {},
    status: { status_str: "success", completed: true, messages },
    meta: {},
  };
}
