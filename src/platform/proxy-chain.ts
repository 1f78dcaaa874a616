import { Dispatcher } from "undici";

/** Sends calls through the first of several proxies. After one that got no connection, later calls take the next. */
export class ProxyChain extends Dispatcher {
  readonly #proxies: readonly [Dispatcher, ...Dispatcher[]];
  #used = 0;

  constructor(proxies: readonly [Dispatcher, ...Dispatcher[]]) {
    super();
    this.#proxies = proxies;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const used = this.#used;
    const proxy = this.#proxies[used] ?? this.#proxies[0];
    return proxy.dispatch(
      options,
      judged(handler, () => this.#leave(used)),
    );
  }

  override async destroy(): Promise<void> {
    await Promise.all(this.#proxies.map((proxy) => proxy.destroy()));
  }

  #leave(proxy: number): void {
    if (this.#used === proxy) this.#used = (proxy + 1) % this.#proxies.length;
  }
}

/** Reports a call that failed before it had a connection, and passes everything on. */
function judged(handler: Dispatcher.DispatchHandler, onNoConnection: () => void): Dispatcher.DispatchHandler {
  let isConnected = false;
  return {
    onRequestStart(...given) {
      isConnected = true;
      handler.onRequestStart?.(...given);
    },
    onRequestUpgrade: (...given) => handler.onRequestUpgrade?.(...given),
    onResponseStart: (...given) => handler.onResponseStart?.(...given),
    onResponseData: (...given) => handler.onResponseData?.(...given),
    onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
    onResponseError(...given) {
      if (!isConnected) onNoConnection();
      handler.onResponseError?.(...given);
    },
  };
}
