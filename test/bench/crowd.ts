import { setTimeout as pause } from "node:timers/promises";
import { createSandbox, type LoggedCall, type Sandbox, type SandboxPerson } from "@atelier/telegram-sandbox";
import { PAY, type Step, tappedOf } from "./script.js";

export const TOKEN = "1000000001:bench_server_on_this_machine_only";

/** The bot sends or changes a card. */
const isCard = ({ method, params }: LoggedCall) =>
  ["sendMessage", "editMessageText"].includes(method) && params.reply_markup !== undefined;
/** One with transparency comes as a document. */
const isPicture = ({ method }: LoggedCall) => ["sendPhoto", "sendDocument"].includes(method);

/** Many people in private chats with the bot. Each acts again only when the reply to their last step has come. */
export class Crowd {
  /** How many steps each has made in their walk. */
  readonly #places = new Map<SandboxPerson, number>();
  /** People who would act, and wait for their turn. */
  readonly #resting: SandboxPerson[];

  private constructor(
    readonly sandbox: Sandbox,
    size: number,
  ) {
    this.#resting = Array.from({ length: size }, (_, index) => sandbox.person(index + 1));
  }

  static async open(size: number): Promise<Crowd> {
    const people = Array.from({ length: size }, (_, index) => {
      return { id: index + 1, first_name: "Ann", username: `ann_${index + 1}`, language_code: "en" };
    });
    return new Crowd(await createSandbox({ token: TOKEN, people }), size);
  }

  /** Lets everybody do one step; resolves when all have been answered. */
  async all(step: Step): Promise<void> {
    await Promise.all(this.#resting.map((person) => this.#act(person, step)));
  }

  /** Lets everybody pay their card; resolves when the pictures have come. */
  async pay(): Promise<void> {
    await Promise.all(this.#resting.map((person) => this.#act(person, PAY, isPicture)));
  }

  /**
   * Lets so many people a second make their next step for a while; who has no reply yet is passed over.
   * Resolves with the time from each update to its reply, in ms.
   */
  async pace(steps: readonly Step[], aSecond: number, forMs: number): Promise<number[]> {
    const waits: number[] = [];
    const acts: Promise<void>[] = [];
    const actNext = async (person: SandboxPerson) => {
      const place = this.#places.get(person) ?? 0;
      const step = steps[place % steps.length];
      this.#places.set(person, place + 1);
      const actedAt = performance.now();
      if (step) await this.#act(person, step);
      waits.push(performance.now() - actedAt);
      this.#resting.push(person);
    };
    const begun = performance.now();
    for (let made = 0; made < (forMs / 1000) * aSecond; made += 1) {
      await pause(Math.max(0, begun + (made * 1000) / aSecond - performance.now()));
      const person = this.#resting.shift();
      if (person) acts.push(actNext(person));
    }
    await Promise.all(acts);
    return waits;
  }

  /** Resolves when the bot has done what replies to the step. */
  async #act(person: SandboxPerson, step: Step, isReply = isCard): Promise<void> {
    const { calls } = this.sandbox;
    const before = calls.length;
    if ("text" in step) person.sendText(step.text);
    else person.tapData(...tappedOf(person.messages(), step.tap));
    await this.sandbox.waitUntil(() =>
      calls
        .slice(before)
        .find((call) => call.status === 200 && call.params.chat_id === person.id && isReply(call)),
    );
  }
}
