// The state of the page: everything that is in the address. A null value stands for that of the document.

export const BLANK = {
  source: null,
  configuration: null,
  velocity: null,
  restitution: null,
  friction: null,
  guard: null,
  strike: null,
  // The law whose answer is drawn in the picture; null for the problem's own.
  picked: null,
  tab: "map",
  printed: false,
  contours: false,
  set: false,
  // Duration of the simulation and the time shown; null if none is open.
  until: null,
  time: null,
  // Zoom, shift (3), azimuth and elevation of the picture; null shows everything.
  view: null,
};

const PHYSICS = ["configuration", "velocity", "restitution", "friction", "guard", "strike"];

// The fields of a request to the engine.
export function physics(state) {
  const fields = {};
  for (const name of PHYSICS) if (state[name] !== null) fields[name] = state[name];
  // In the shortest form: a number if it says everything.
  if (fields.restitution?.tangential === 0) fields.restitution = fields.restitution.normal;
  if (fields.friction && fields.friction.static === fields.friction.dynamic) fields.friction = fields.friction.static;
  return fields;
}

// The part of the state that the map over the coefficients depends on: all but the point; the ratio of the frictions remains.
export function mapKey(state, info) {
  const { static: s, dynamic: d } = state.friction || info.friction || { static: 1, dynamic: 1 };
  const { tangential } = state.restitution || info.restitution || { tangential: 0 };
  return JSON.stringify([state.configuration, state.velocity, state.strike, state.guard, tangential, s > 0 ? Math.round((1e9 * d) / s) : 1, state.contours]);
}

const alike = (a, b) => a === b || JSON.stringify(a) === JSON.stringify(b);

// Sources may have megabytes: identical objects are not compared by content.
export const sameSource = alike;
export const samePhysics = (a, b) => PHYSICS.every((name) => alike(a[name], b[name]));
export const same = (a, b) => a === b || (Boolean(a && b) && Object.keys(BLANK).every((name) => alike(a[name], b[name])));
