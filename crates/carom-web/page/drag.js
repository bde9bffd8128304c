// Dragging a body: which body is under the pointer, and how its joint follows.

import { add, basis, combined, cross, dot, hull, norm, sub, times, turned, unit } from "./player/math.js";
import { shapeMesh } from "./player/shapes.js";

// Distance in pixels within which a thin body is hit: the width of a finger.
const NEAR = 14;

// Distance of a point from a line between two others.
function distance([x, y], [ax, ay], [bx, by]) {
  const [dx, dy] = [bx - ax, by - ay];
  const t = Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x - ax - t * dx, y - ay - t * dy);
}

function isInside([x, y], outline) {
  let is = false;
  outline.forEach(([ax, ay], i) => {
    const [bx, by] = outline[(i + 1) % outline.length];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) is = !is;
  });
  return is;
}

const meshes = new WeakMap();

function outlineOf(shape, { p, q }, camera) {
  if (!meshes.has(shape)) {
    const { positions } = shapeMesh(shape);
    const stride = Math.max(1, Math.floor(positions.length / 3 / 400));
    const points = [];
    for (let i = 0; i < positions.length; i += 3 * stride) points.push([positions[i], positions[i + 1], positions[i + 2]]);
    meshes.set(shape, points);
  }
  const middle = add(p, turned(q, shape.position));
  const points = meshes.get(shape).map((v) => camera.project(add(middle, turned(q, turned(shape.rotation, v)))));
  return hull(points).map((i) => points[i]);
}

// The body under a point of the picture, nearest to the eye, otherwise the nearest one within a finger's width, otherwise null.
export function bodyAt(still, camera, at) {
  let best = null;
  for (const body of still.bodies) {
    if (!body.moving) continue;
    const pose = still.pose(body);
    const outlines = body.shapes.map((shape) => outlineOf(shape, pose, camera));
    const from = camera.project(add(pose.p, turned(pose.q, body.anchor || [0, 0, 0])));
    const sticks = body.shapes.length ? [] : (body.ends || []).map((end) => [from, camera.project(add(pose.p, turned(pose.q, end)))]);
    const gap = outlines.some((outline) => isInside(at, outline)) ? 0 : Math.min(...outlines.flatMap((outline) => outline.map((p, i) => distance(at, p, outline[(i + 1) % outline.length]))), ...sticks.map(([a, b]) => distance(at, a, b)));
    if (!(gap < NEAR)) continue;
    const depth = camera.isFlat ? 0 : camera.project(pose.p)[2];
    if (!best || gap < best.gap || (gap === best.gap && depth < best.depth)) best = { body, gap, depth };
  }
  return best && best.body;
}

// The joint that a drag of a body moves: a sliding or free joint is preferred to a hinge; with shift, a hinge.
export function jointOf(info, body, isTurning) {
  const own = info.joints.filter(({ link, type, follows }) => link === body.name && type !== "fixed" && !follows);
  const ranks = isTurning ? [/revolute|continuous|ball/, /planar|floating/, /prismatic/] : [/prismatic/, /planar|floating/, /./];
  return ranks.map((rank) => own.find(({ type }) => rank.test(type))).find(Boolean) || null;
}

// The ways in which a joint moves its body. Each has a direction in the world and the entry that it changes: of the velocity,
// or of the configuration, where a turn changes a quaternion by an axis of the link.
function ways(joint, { q }, configuration, isVelocity, isTurning) {
  const { type, axis } = joint;
  const first = joint[isVelocity ? "v" : "q"][0];
  const own = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((e) => turned(q, e));
  const slides = (directions) => directions.map((direction, k) => ({ direction, isTurn: false, number: first + k }));
  const spin = (at) => own.map((direction, k) => ({ direction, isTurn: true, ...(isVelocity ? { number: at + k } : { quaternion: at, part: k }) }));
  // The axes of the joint's coordinates, which the link has turned away from.
  const back = (turn, directions) => directions.map((d) => turned(q, turned([turn[0], -turn[1], -turn[2], -turn[3]], d)));
  if (type === "prismatic") return slides([turned(q, unit(axis))]);
  if (type === "ball") return spin(first);
  if (type === "floating") {
    if (isTurning) return spin(first + 3);
    return slides(isVelocity ? own : back(configuration.slice(joint.q[0] + 3, joint.q[0] + 7), [[1, 0, 0], [0, 1, 0], [0, 0, 1]]));
  }
  const about = turned(q, unit(axis));
  if (type === "planar" && !isTurning) {
    const half = configuration[joint.q[0] + 2] / 2;
    return slides(back([Math.cos(half), ...times(Math.sin(half), unit(axis))], basis(unit(axis))));
  }
  return [{ direction: about, isTurn: true, number: first + (type === "planar" ? 2 : 0) }];
}

// The changes that move a grabbed point by a number of pixels: the least motion of the joint that achieves this.
export function follow(still, camera, { body, joint, isTurning }, grabbed, [dx, dy], configuration, isVelocity) {
  const pose = still.pose(body);
  const scale = camera.project(grabbed)[3];
  const centre = add(pose.p, turned(pose.q, joint.anchor || [0, 0, 0]));
  const moves = ways(joint, pose, configuration, isVelocity, isTurning);
  const columns = moves.map(({ direction, isTurn }) => {
    const motion = isTurn ? cross(direction, sub(grabbed, centre)) : direction;
    return [scale * dot(motion, camera.right), -scale * dot(motion, camera.over)];
  });
  // Jᵀ (J Jᵀ + λ)⁻¹ d: λ keeps a joint in place whose motion is along the line of sight.
  const [a, b, c] = columns.reduce(([a, b, c], [x, y]) => [a + x * x, b + x * y, c + y * y], [0, 0, 0]);
  const lambda = 1e-3 * (a + c) + 1e-9;
  const det = (a + lambda) * (c + lambda) - b * b;
  const y = [((c + lambda) * dx - b * dy) / det, ((a + lambda) * dy - b * dx) / det];
  return moves.map((move, k) => ({ ...move, by: columns[k][0] * y[0] + columns[k][1] * y[1] }));
}

// A copy of a configuration or velocity with these changes.
export function applied(list, changes, rate) {
  const next = [...list];
  const turns = new Map();
  for (const { number, quaternion, part, by } of changes) {
    if (number !== undefined) next[number] += rate * by;
    else turns.set(quaternion, (turns.get(quaternion) || [0, 0, 0]).map((x, k) => (k === part ? x + by : x)));
  }
  for (const [at, turn] of turns) {
    const half = norm(turn) / 2;
    const q = combined(next.slice(at, at + 4), [Math.cos(half), ...times(Math.sin(half), unit(turn))]);
    const size = Math.hypot(...q);
    q.forEach((x, k) => { next[at + k] = x / size; });
  }
  return next;
}

// The point of a body that a pointer grabs: on the plane through its middle, across the line of sight.
export function grab(still, camera, body, at) {
  const { p, q } = still.pose(body);
  const middle = body.shapes.length ? add(p, turned(q, body.shapes[0].position)) : p;
  const [x, y, , scale] = camera.project(middle);
  const world = add(middle, add(times((at[0] - x) / scale, camera.right), times((y - at[1]) / scale, camera.over)));
  const local = turned([q[0], -q[1], -q[2], -q[3]], sub(world, p));
  return norm(local) < Infinity ? local : [0, 0, 0];
}

export const grabbedPoint = (still, body, local) => {
  const { p, q } = still.pose(body);
  return add(p, turned(q, local));
};
