// Shapes as triangles, about their own middle, long axis z. A shape is { kind, size, position, rotation }; a hull has
// { points, faces } as well: coordinates, and indices of the corners of triangles.

import { add, cross, dot, norm, sub, times, unit } from "./math.js";

export function shapeRadius({ kind, size, points }) {
  if (kind === "hull") return corners(points).reduce((most, p) => Math.max(most, norm(p)), 0);
  if (kind === "sphere") return size[0];
  if (kind === "capsule") return size[0] + size[1];
  if (kind === "cylinder") return Math.hypot(size[0], size[1]);
  return kind === "box" ? norm(size) : Math.max(...size);
}

// A surface of revolution from a profile of [radius, height, normal outwards, normal along z].
function revolved(profile, around) {
  const positions = [], normals = [], triangles = [];
  for (const [r, z, nr, nz] of profile) {
    for (let k = 0; k <= around; k++) {
      const [c, s] = [Math.cos((2 * Math.PI * k) / around), Math.sin((2 * Math.PI * k) / around)];
      positions.push(r * c, r * s, z);
      normals.push(nr * c, nr * s, nz);
    }
  }
  const row = around + 1;
  for (let i = 0; i + 1 < profile.length; i++) {
    for (let k = 0; k < around; k++) {
      const a = i * row + k, b = a + row;
      triangles.push(a, a + 1, b + 1, a, b + 1, b);
    }
  }
  return { positions, normals, triangles };
}

function arc(radius, from, to, shift, steps) {
  const out = [];
  for (let k = 0; k <= steps; k++) {
    const angle = from + ((to - from) * k) / steps;
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    out.push([radius * c, shift + radius * s, c, s]);
  }
  return out;
}

function boxMesh([a, b, c]) {
  const positions = [], normals = [], triangles = [];
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [-1, 1]) {
      const start = positions.length / 3;
      const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
      for (const [p, q] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
        const at = [0, 0, 0], n = [0, 0, 0];
        at[axis] = side; at[u] = p; at[v] = q; n[axis] = side;
        positions.push(at[0] * a, at[1] * b, at[2] * c);
        normals.push(...n);
      }
      const [i, j, k, l] = [0, 1, 2, 3].map((x) => start + x);
      triangles.push(...(side > 0 ? [i, j, k, i, k, l] : [i, k, j, i, l, k]));
    }
  }
  return { positions, normals, triangles };
}

const corners = (points) => Array.from({ length: points.length / 3 }, (_, i) => [points[3 * i], points[3 * i + 1], points[3 * i + 2]]);

// Flat faces, each with its own normal, away from the middle.
function hullMesh(points, faces) {
  const positions = [], normals = [], triangles = [];
  const list = corners(points);
  const middle = times(1 / Math.max(1, list.length), list.reduce(add, [0, 0, 0]));
  for (let k = 0; k < faces.length; k += 3) {
    const [a, b, c] = [list[faces[k]], list[faces[k + 1]], list[faces[k + 2]]];
    const n = unit(cross(sub(b, a), sub(c, a)));
    const outwards = dot(n, sub(a, middle)) < 0 ? times(-1, n) : n;
    for (const p of [a, b, c]) {
      triangles.push(positions.length / 3);
      positions.push(...p);
      normals.push(...outwards);
    }
  }
  return { positions, normals, triangles };
}

export function shapeMesh({ kind, size, points, faces }) {
  const half = Math.PI / 2;
  if (kind === "hull") return hullMesh(points, faces);
  if (kind === "box") return boxMesh(size);
  if (kind === "sphere") return revolved(arc(size[0], -half, half, 0, 24), 40);
  if (kind === "capsule") {
    return revolved([...arc(size[0], -half, 0, -size[1], 8), ...arc(size[0], 0, half, size[1], 8)], 28);
  }
  if (kind === "cylinder") {
    const [r, h] = size;
    return revolved([[0, -h, 0, -1], [r, -h, 0, -1], [r, -h, 1, 0], [r, h, 1, 0], [r, h, 0, 1], [0, h, 0, 1]], 40);
  }
  const ball = revolved(arc(1, -half, half, 0, 24), 40);
  for (let i = 0; i < ball.positions.length; i += 3) {
    const n = unit([0, 1, 2].map((k) => ball.normals[i + k] / size[k]));
    for (let k = 0; k < 3; k++) {
      ball.positions[i + k] *= size[k];
      ball.normals[i + k] = n[k];
    }
  }
  return ball;
}
