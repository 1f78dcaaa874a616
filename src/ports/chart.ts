/** A column of a chart. `marked` is the part of it that is drawn in another colour. */
export interface ChartBar {
  value: number;
  marked: number;
}

/** Draws columns without words as a PNG picture. */
export type DrawChart = (bars: readonly ChartBar[]) => Promise<Uint8Array>;
