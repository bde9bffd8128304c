// Bodies in space by WebGL: shaded shapes, a fading grid on every surface, shadows along its normal.

import { add, basis, combined, dot, flattening, rigid, roundStep, sub, times, turned, unit } from "./math.js";
import { shapeMesh } from "./shapes.js";

const VERTEX = `#version 300 es
in vec3 position; in vec3 normal;
uniform mat4 view, model, flatten_;
out vec3 local, world, out_normal;
void main() {
  local = position;
  vec4 p = flatten_ * model * vec4(position, 1.0);
  world = p.xyz;
  out_normal = mat3(model) * normal;
  gl_Position = view * p;
}`;

const BODY = `#version 300 es
precision highp float;
in vec3 local, world, out_normal;
uniform vec3 colour, light, eye, up;
uniform float marks;
out vec4 pixel;
void main() {
  vec3 n = normalize(out_normal);
  float sky = 0.5 + 0.5 * dot(n, up);
  float sun = max(dot(n, light), 0.0);
  float rim = pow(1.0 - max(dot(n, normalize(eye - world)), 0.0), 3.0);
  float octant = sign(local.x) * sign(local.y) * sign(local.z);
  vec3 paint = colour * (1.0 - marks * 0.13 * step(0.0, octant));
  pixel = vec4(paint * (0.46 + 0.26 * sky + 0.42 * sun) + 0.07 * rim, 1.0);
}`;

const GROUND = `#version 300 es
precision highp float;
in vec3 local, world, out_normal;
uniform vec3 colour, line, centre;
uniform float cell, radius;
out vec4 pixel;
float lines(float step_) {
  vec2 p = local.xy / step_;
  vec2 d = abs(fract(p - 0.5) - 0.5) / fwidth(p);
  return 1.0 - min(min(d.x, d.y), 1.0);
}
void main() {
  float far = length(world - centre) / radius;
  float fade = 1.0 - smoothstep(0.25, 1.0, far);
  float grid = max(0.45 * lines(cell), 0.8 * lines(5.0 * cell));
  pixel = vec4(mix(colour, line, 0.5 * grid), fade);
}`;

const SHADOW = `#version 300 es
precision highp float;
in vec3 local, world, out_normal;
uniform float strength;
out vec4 pixel;
void main() { pixel = vec4(0.0, 0.0, 0.0, strength); }`;

const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

export class Space {
  // Null where the browser has no WebGL 2.
  static on(canvas, run) {
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: false, stencil: true, preserveDrawingBuffer: true });
    return gl ? new Space(gl, canvas, run) : null;
  }

  constructor(gl, canvas, run) {
    Object.assign(this, { gl, canvas, run });
    this.programs = { body: this.program(BODY), ground: this.program(GROUND), shadow: this.program(SHADOW) };
    this.places = new Map();
    this.meshes = new Map();
    // Shapes of one form share a mesh.
    const forms = new Map();
    for (const body of run.bodies) {
      for (const shape of body.shapes) {
        const form = `${shape.kind} ${shape.size}`;
        if (!forms.has(form)) forms.set(form, this.upload(shapeMesh(shape)));
        this.meshes.set(shape, forms.get(form));
      }
    }
  }

  program(fragment) {
    const { gl } = this;
    const program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.bindAttribLocation(program, 0, "position");
    gl.bindAttribLocation(program, 1, "normal");
    gl.linkProgram(program);
    return program;
  }

  upload({ positions, normals, triangles }) {
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    [positions, normals].forEach((data, i) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(data), gl.STATIC_DRAW);
      gl.enableVertexAttribArray(i);
      gl.vertexAttribPointer(i, 3, gl.FLOAT, false, 0, 0);
    });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint32Array(triangles), gl.STATIC_DRAW);
    return { array, count: triangles.length };
  }

  use(program, values) {
    const { gl } = this;
    gl.useProgram(program);
    for (const [name, value] of Object.entries(values)) {
      const place = this.place(program, name);
      if (typeof value === "number") gl.uniform1f(place, value);
      else if (value.length === 3) gl.uniform3fv(place, value);
      else gl.uniformMatrix4fv(place, false, value);
    }
  }

  // Looking up the location of a uniform is slow, so each is looked up once.
  place(program, name) {
    if (!this.places.has(program)) this.places.set(program, new Map());
    const known = this.places.get(program);
    if (!known.has(name)) known.set(name, this.gl.getUniformLocation(program, name));
    return known.get(name);
  }

  put({ array, count }) {
    this.gl.bindVertexArray(array);
    this.gl.drawElements(this.gl.TRIANGLES, count, this.gl.UNSIGNED_INT, 0);
  }

  draw(camera, at, colours) {
    const { gl, run, canvas } = this;
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(...colours.stage, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    const view = camera.matrix();
    const models = [];
    run.bodies.forEach((body, i) => {
      const { p, q } = run.pose(body, at);
      for (const shape of body.shapes) {
        const place = add(p, turned(q, shape.position));
        models.push({ shape, body, i, model: rigid(combined(q, shape.rotation), place) });
      }
    });
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.disable(gl.DEPTH_TEST);
    for (const surface of run.surfaces) this.ground(surface, models, view, camera, colours);
    gl.disable(gl.BLEND);
    gl.enable(gl.DEPTH_TEST);
    const [a] = basis(camera.up);
    const light = unit(add(times(1.1, camera.up), add(times(0.55, camera.back), times(0.5, a))));
    this.use(this.programs.body, { view, flatten_: IDENTITY, light, eye: camera.eye, up: camera.up });
    for (const { shape, body, i, model } of models) {
      const tone = body.moving ? 1 + 0.1 * ((i % 3) - 1) : 0.8;
      const marks = shape.kind === "sphere" || shape.kind === "ellipsoid" || shape.kind === "cylinder" ? 1 : 0;
      this.use(this.programs.body, { model, colour: times(tone, colours.body), marks });
      this.put(this.meshes.get(shape));
    }
  }

  ground({ point, normal }, models, view, camera, colours) {
    const { gl, run } = this;
    const centre = sub(camera.middle, times(dot(sub(camera.middle, point), normal), normal));
    const radius = Math.max(5 * camera.half, 3 * run.size);
    const cell = roundStep(camera.half / 4);
    const [a, b] = basis(normal);
    // Cells are counted from the surface's own point, so that the grid does not move when the camera follows.
    const shift = sub(centre, point);
    const origin = [a, b].map((axis) => Math.round(dot(shift, axis) / (5 * cell)) * 5 * cell);
    const middle = add(point, add(times(origin[0], a), times(origin[1], b)));
    const model = [...a, 0, ...b, 0, ...normal, 0, ...middle, 1];
    const scaled = this.scaledQuad(radius + 5 * cell);
    this.use(this.programs.ground, { view, model, flatten_: IDENTITY, colour: colours.ground, line: colours["ground-line"], centre, cell, radius });
    this.put(scaled);
    gl.enable(gl.STENCIL_TEST);
    gl.clear(gl.STENCIL_BUFFER_BIT);
    gl.stencilFunc(gl.EQUAL, 0, 255);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    this.use(this.programs.shadow, { view, flatten_: flattening(point, normal, 1e-4 * run.size), strength: colours.isDark ? 0.38 : 0.13 });
    for (const { shape, body, model } of models) {
      if (!body.moving) continue;
      this.use(this.programs.shadow, { model });
      this.put(this.meshes.get(shape));
    }
    gl.disable(gl.STENCIL_TEST);
  }

  // A square with distant corners; the grid is drawn in its own units.
  scaledQuad(reach) {
    if (this.reach !== reach) {
      this.reach = reach;
      const p = reach;
      if (this.large) this.gl.deleteVertexArray(this.large.array);
      this.large = this.upload({ positions: [-p, -p, 0, p, -p, 0, p, p, 0, -p, p, 0], normals: [0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1], triangles: [0, 1, 2, 0, 2, 3] });
    }
    return this.large;
  }
}
