import type { PageEvent } from "../protocol.js";
import { fetchState, RequestFailed } from "./api.js";
import { required } from "./dom.js";
import { Layout } from "./layout.js";
import { Lightbox } from "./lightbox.js";
import { Pane } from "./pane.js";
import { ServicesPanel } from "./services-panel.js";
import { Store } from "./store.js";
import { hearPeople } from "./stream.js";
import { pageWords } from "./words/words.js";

const RETRY_MS = 2_000;

/**
 * Keeps the store equal to the sandbox: events as they come, and the whole state whenever a stream was opened anew,
 * since whatever happened while it was lost sent no event.
 */
class Sync {
  readonly #lost = new Set<number>();
  /** Events that came while a state was being read: it may be older than they are. */
  #meanwhile: { person: number; event: PageEvent }[] = [];
  #isReading = false;
  #mustReadAgain = false;

  constructor(
    private readonly store: Store,
    private readonly showConnection: (isLost: boolean) => void,
  ) {}

  start(): void {
    const people = this.store.people.map(({ user }) => user.id);
    hearPeople(people, (message) => {
      if ("event" in message) this.#hear(message.person, message.event);
      else if (message.status === "lost") this.#setLost(message.person, true);
      else {
        this.#setLost(message.person, false);
        void this.read();
      }
    });
  }

  /** Reads the whole state; asked while it reads, it reads once more after that. */
  async read(): Promise<void> {
    if (this.#isReading) {
      this.#mustReadAgain = true;
      return;
    }
    this.#isReading = true;
    this.#mustReadAgain = false;
    this.#meanwhile = [];
    try {
      this.store.reload(await fetchState());
      for (const { person, event } of this.#meanwhile) this.store.apply(person, event);
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      setTimeout(() => void this.read(), RETRY_MS);
    } finally {
      this.#isReading = false;
    }
    if (this.#mustReadAgain) await this.read();
  }

  #hear(person: number, event: PageEvent): void {
    this.store.apply(person, event);
    const isKept = event.type === "message" || event.type === "edited" || event.type === "deleted";
    if (this.#isReading && isKept) this.#meanwhile.push({ person, event });
  }

  #setLost(person: number, isLost: boolean): void {
    if (isLost) this.#lost.add(person);
    else this.#lost.delete(person);
    this.showConnection(this.#lost.size > 0);
  }
}

const START_RETRY_MS = 1_500;

labelFrame();
await start();

async function start(): Promise<void> {
  const connection = required("#connection", HTMLElement);
  const state = await firstState(connection);
  const store = new Store(state);
  const lightbox = new Lightbox(document.body);
  const title = document.title;
  // A layout is made of panes, and a pane tells the layout that it changed.
  let layout: Layout | undefined;
  const panes = store.people.map((person) => new Pane(store, person, lightbox, () => layout?.save()));
  const stage = required("#panes", HTMLElement);
  stage.replaceChildren(...panes.map(({ element }) => element));
  layout = new Layout(panes, stage, required("#people", HTMLElement), required("#counts", HTMLElement));
  if (state.has_services) showServices(layout);

  const showUnread = () => {
    layout?.renderUnread();
    const unread = panes.reduce((sum, pane) => sum + pane.unread, 0);
    document.title = unread > 0 ? `(${unread}) ${title}` : title;
  };
  for (const person of store.people) {
    for (const chat of Store.chatsOf(person)) chat.subscribe(showUnread);
  }
  store.onPayment((person, outcome) =>
    panes.find((pane) => pane.person === person)?.purse.showOutcome(outcome, store.bot.first_name),
  );
  store.onAnswer((person, answer) => panes.find((pane) => pane.person === person)?.answer(answer));

  const wake = () => {
    for (const pane of panes) pane.wake();
  };
  addEventListener("online", wake);
  const sync = new Sync(store, (isLost) => {
    connection.hidden = !isLost;
    if (!isLost) wake();
  });
  sync.start();
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return;
    for (const pane of panes) pane.refresh();
    void sync.read();
  });
  document.documentElement.dataset.ready = "true";
}

/** The parts of index.html that have words. */
function labelFrame(): void {
  const { frame, locale } = pageWords;
  document.documentElement.lang = locale;
  required("#connection", HTMLElement).textContent = frame.connecting;
  required("#people", HTMLElement).setAttribute("aria-label", frame.people);
  required(".footer", HTMLElement).textContent = frame.footer;
}

function showServices(layout: Layout): void {
  const panel = required("#services-panel", HTMLElement);
  new ServicesPanel(panel, required("#services", HTMLButtonElement), (isOpen) => layout.fit(isOpen));
}

/** The page may be opened before the sandbox listens. */
async function firstState(connection: HTMLElement) {
  for (;;) {
    try {
      const state = await fetchState();
      connection.hidden = true;
      return state;
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      connection.hidden = false;
      await new Promise((resolve) => setTimeout(resolve, START_RETRY_MS));
    }
  }
}
