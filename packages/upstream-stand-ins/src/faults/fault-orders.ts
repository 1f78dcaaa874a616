import type { ServiceName } from "../service-name.js";
import { FAULTS, type FaultMoment, type FaultName } from "./fault-table.js";

export interface FaultOrder {
  fault: FaultName;
  /** Any service without it. */
  service?: ServiceName;
  /** How many requests it strikes: 1 by default. */
  times?: number;
}

/** Faults of the next requests, whatever these ask for. */
export class FaultOrders {
  #orders: { order: FaultOrder; left: number }[] = [];

  add(order: FaultOrder): void {
    this.#orders.push({ order, left: order.times ?? 1 });
  }

  /** Takes back the orders of a fault, of a service, or all. */
  clear({ fault, service }: { fault?: string; service?: ServiceName } = {}): void {
    this.#orders = this.#orders.filter(
      ({ order }) => order.fault !== (fault ?? order.fault) || order.service !== (service ?? order.service),
    );
  }

  list(): readonly FaultOrder[] {
    return this.#orders.map(({ order, left }) => ({ ...order, times: left }));
  }

  /** The orders that strike a request of a service at this moment, one of each; they count as struck. */
  take(moment: FaultMoment, service: ServiceName): FaultName[] {
    const struck = this.#orders.filter(
      ({ order }) => FAULTS[order.fault].at === moment && (order.service ?? service) === service,
    );
    for (const one of struck) one.left -= 1;
    this.#orders = this.#orders.filter(({ left }) => left > 0);
    return struck.map(({ order }) => order.fault);
  }
}
