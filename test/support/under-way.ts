import { type OpenAgent, openAgent } from "../../src/platform/outgoing-agent.js";
import { turnOfEvents } from "./manual-clock.js";

/** A call of a server in this process has its answer long before. */
const TURNS_MAX = 5000;

interface Work {
  /** True while it does not end by itself. */
  isHeld: () => boolean;
}

/**
 * Knows what a test has under way and a clock that stands still does not: calls to a server in this process, and files.
 * They are waited for however slow the machine is.
 */
export class UnderWay {
  readonly #works = new Set<Work>();

  /** @param isHeld true while a call has no answer until the test or the clock does something */
  async call<T>(ending: Promise<T>, isHeld: () => boolean): Promise<T> {
    let turns = 0;
    return this.#track(ending, () => {
      turns += 1;
      return turns > TURNS_MAX || isHeld();
    });
  }

  /** The same object, of which every promise is waited for. */
  all<T extends object>(parts: T): T {
    return new Proxy(parts, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (...given: unknown[]) => {
          const result: unknown = Reflect.apply(member, target, given);
          return result instanceof Promise ? this.#track(result, () => false) : result;
        };
      },
    });
  }

  /** Resolves when all has ended but what is held. */
  async settled(): Promise<void> {
    do await turnOfEvents();
    while ([...this.#works].some(({ isHeld }) => !isHeld()));
  }

  #track<T>(ending: Promise<T>, isHeld: () => boolean): Promise<T> {
    const work = { isHeld };
    this.#works.add(work);
    return ending.finally(() => this.#works.delete(work));
  }
}

/** Opens agents whose calls `underWay` knows until they have their answers. */
export function openKnownTo(underWay: UnderWay): OpenAgent {
  return (options) => {
    const agent = openAgent(options);
    const dispatch = agent.dispatch.bind(agent);
    agent.dispatch = (call, handler) => {
      const answered = Promise.withResolvers<void>();
      void underWay.call(answered.promise, () => false);
      return dispatch(call, {
        onRequestStart: (...given) => handler.onRequestStart?.(...given),
        onResponseStart: (...given) => handler.onResponseStart?.(...given),
        onResponseData: (...given) => handler.onResponseData?.(...given),
        onResponseEnd(...given) {
          answered.resolve();
          handler.onResponseEnd?.(...given);
        },
        onResponseError(...given) {
          answered.resolve();
          handler.onResponseError?.(...given);
        },
      });
    };
    return agent;
  };
}
