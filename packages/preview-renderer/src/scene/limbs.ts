import { Path2D, PathOp } from "@napi-rs/canvas";

/** A joint of a limb: its place in the box of 100 × 100 and half the thickness there. */
export type Joint = readonly [x: number, y: number, radius: number];

const STEPS_PER_JOINT = 6;

/** A round limb through joints, smoothly curved. */
export function limb(...joints: readonly Joint[]): Path2D {
  const points = smoothed(joints);
  const path = new Path2D();
  const first = edgeOf(points, 0);
  path.moveTo(first.x + first.sideX, first.y + first.sideY);
  for (let index = 1; index < points.length; index++) {
    const { x, y, sideX, sideY } = edgeOf(points, index);
    path.lineTo(x + sideX, y + sideY);
  }
  const last = edgeOf(points, points.length - 1);
  const end = Math.atan2(last.sideY, last.sideX);
  path.arc(last.x, last.y, Math.hypot(last.sideX, last.sideY), end, end - Math.PI, true);
  for (let index = points.length - 1; index >= 0; index--) {
    const { x, y, sideX, sideY } = edgeOf(points, index);
    path.lineTo(x - sideX, y - sideY);
  }
  const start = Math.atan2(-first.sideY, -first.sideX);
  path.arc(first.x, first.y, Math.hypot(first.sideX, first.sideY), start, start - Math.PI, true);
  path.closePath();
  return path;
}

/** A point of a limb, and the way from it to its left edge. */
function edgeOf(points: readonly Joint[], index: number) {
  const [x, y, radius] = points[index] ?? [0, 0, 0];
  const [beforeX, beforeY] = points[index - 1] ?? [x, y];
  const [afterX, afterY] = points[index + 1] ?? [x, y];
  const length = Math.hypot(afterX - beforeX, afterY - beforeY) || 1;
  const [alongX, alongY] = [(afterX - beforeX) / length, (afterY - beforeY) / length];
  return { x, y, sideX: -alongY * radius, sideY: alongX * radius };
}

/** One outline around several shapes. */
export function joined(...shapes: readonly (Path2D | string)[]): Path2D {
  let whole = new Path2D();
  for (const shape of shapes) whole = whole.op(new Path2D(shape as string), PathOp.Union);
  return whole;
}

/** A curve through all joints (Catmull and Rom). */
function smoothed(joints: readonly Joint[]): Joint[] {
  const points: Joint[] = [];
  for (const [index, second] of joints.entries()) {
    const third = joints[index + 1];
    if (!third) {
      points.push(second);
      break;
    }
    const first = joints[index - 1] ?? second;
    const fourth = joints[index + 2] ?? third;
    for (let step = 0; step < STEPS_PER_JOINT; step++) {
      const t = step / STEPS_PER_JOINT;
      const at = (axis: 0 | 1 | 2): number => {
        const [a, b, c, d] = [first[axis], second[axis], third[axis], fourth[axis]];
        return b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
      };
      points.push([at(0), at(1), Math.max(0.2, at(2))]);
    }
  }
  return points;
}
