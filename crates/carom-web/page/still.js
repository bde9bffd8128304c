// A robot in one state, in the form of the run that the player draws.

import { add, sub, turned } from "./player/math.js";
import { shapeRadius } from "./player/shapes.js";

const POSE = 10;

export class Still {
  // info: the engine's description of the opened source; poses: 10 numbers per body.
  constructor(info, poses) {
    const hulls = info.hulls.map(({ points, faces }) => ({ points: new Float32Array(bytes(points)), faces: new Uint32Array(bytes(faces)) }));
    this.bodies = info.bodies.map((body, index) => ({
      ...body, index,
      shapes: body.shapes.map((shape) => (shape.kind === "hull" ? { ...shape, ...hulls[shape.size[0]] } : shape)),
    }));
    Object.assign(this, { plane: info.planar, gravity: info.gravity, surfaces: info.surfaces, length: info.length || 1 });
    // The parts of a run that a single state does not have.
    Object.assign(this, { count: 0, contacts: [], usualForce: 0, events: { time: [], contact: [], impulse: [], position: [] } });
    this.set(poses);
    this.bounds();
  }

  set(poses) {
    this.poses = Float64Array.from(poses);
  }

  pose({ index }) {
    const a = this.poses.subarray(POSE * index, POSE * index + 7);
    return { p: [a[0], a[1], a[2]], q: [a[3], a[4], a[5], a[6]] };
  }

  bounds() {
    let [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
    const take = (point, reach) => {
      low = low.map((x, k) => Math.min(x, point[k] - reach));
      high = high.map((x, k) => Math.max(x, point[k] + reach));
    };
    for (const body of this.bodies.filter(({ moving }) => moving)) {
      const { p, q } = this.pose(body);
      for (const shape of body.shapes) take(add(p, turned(q, shape.position)), shapeRadius(shape));
      if (!body.shapes.length) for (const end of [body.anchor, ...body.ends]) take(add(p, turned(q, end)), 0.03 * this.length);
    }
    if (!(low[0] <= high[0])) [low, high] = [[-1, -1, -1], [1, 1, 1]];
    Object.assign(this, { low, high, size: Math.max(...sub(high, low)) || this.length });
  }
}

function bytes(text) {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
}
