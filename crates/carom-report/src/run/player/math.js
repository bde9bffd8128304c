// Vectors, quaternions (w, x, y, z) and 4 x 4 matrices by columns.

export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const times = (s, a) => [s * a[0], s * a[1], s * a[2]];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const norm = (a) => Math.hypot(a[0], a[1], a[2]);
export const unit = (a) => times(1 / (norm(a) || 1), a);
export const clamp = (x, low, high) => Math.min(high, Math.max(low, x));

// A vector turned by a quaternion.
export function turned(q, v) {
  const axis = [q[1], q[2], q[3]];
  const t = times(2, cross(axis, v));
  return add(add(v, times(q[0], t)), cross(axis, t));
}

export function slerp(a, b, part) {
  let d = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const sign = d < 0 ? -1 : 1;
  d *= sign;
  let [s, t] = [1 - part, part * sign];
  if (d < 0.9999) {
    const angle = Math.acos(d);
    s = Math.sin((1 - part) * angle) / Math.sin(angle);
    t = (sign * Math.sin(part * angle)) / Math.sin(angle);
  }
  const q = [0, 1, 2, 3].map((k) => s * a[k] + t * b[k]);
  const length = Math.hypot(...q) || 1;
  return q.map((x) => x / length);
}

// The product of two rotations: first b, then a.
export const combined = (a, b) => [
  a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
  a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
  a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
  a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
];

export function rigid(q, p) {
  const [x, y, z] = [turned(q, [1, 0, 0]), turned(q, [0, 1, 0]), turned(q, [0, 0, 1])];
  return [...x, 0, ...y, 0, ...z, 0, ...p, 1];
}

export function product(a, b) {
  const out = new Array(16).fill(0);
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      for (let k = 0; k < 4; k++) out[4 * column + row] += a[4 * k + row] * b[4 * column + k];
    }
  }
  return out;
}

// The projection onto a plane along its normal, raised slightly above it.
export function flattening(point, n, lift) {
  const d = dot(point, n) + lift;
  const column = (k) => [0, 1, 2].map((row) => (row === k ? 1 : 0) - n[row] * n[k]);
  return [...column(0), 0, ...column(1), 0, ...column(2), 0, ...times(d, n), 1];
}

// Two directions that span the plane at right angles to n.
export function basis(n) {
  const least = [0, 1, 2].reduce((best, k) => (Math.abs(n[k]) < Math.abs(n[best]) - 1e-9 ? k : best), 0);
  const axis = [0, 1, 2].map((k) => (k === least ? 1 : 0));
  const a = unit(sub(axis, times(dot(axis, n), n)));
  return [a, cross(n, a)];
}

// The convex outline of points in a plane, as indices (Andrew's chain).
export function hull(points) {
  const order = points.map((_, i) => i).sort((i, j) => points[i][0] - points[j][0] || points[i][1] - points[j][1]);
  const turns = (i, j, k) =>
    (points[j][0] - points[i][0]) * (points[k][1] - points[i][1]) - (points[j][1] - points[i][1]) * (points[k][0] - points[i][0]);
  const chain = (list) => {
    const out = [];
    for (const i of list) {
      while (out.length > 1 && turns(out[out.length - 2], out[out.length - 1], i) <= 0) out.pop();
      out.push(i);
    }
    return out.slice(0, -1);
  };
  return [...chain(order), ...chain(order.slice().reverse())];
}

// 1, 2 or 5 times a power of ten, not below x.
export function roundStep(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return [1, 2, 5, 10].map((m) => m * power).find((step) => step >= x * 0.999);
}

// The first index in an ascending list whose value is above x.
export function above(list, x) {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low;
}

// A number with a few digits and a proper minus sign.
export const short = (x, digits = 4) => String(Number(x.toPrecision(digits))).replaceAll("-", "−");
