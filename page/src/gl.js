// The picture by WebGL. Parts of a kind are one instanced mesh: a thousand links are as many draw calls
// as one.

import {
  AmbientLight, BoxGeometry, BufferAttribute, BufferGeometry, CatmullRomCurve3, Color, ConeGeometry,
  CylinderGeometry, DirectionalLight, DoubleSide, InstancedBufferAttribute, InstancedMesh, LineBasicMaterial,
  LineSegments, Matrix4, MeshBasicMaterial, MeshLambertMaterial, PlaneGeometry, Scene, ShaderMaterial, SphereGeometry,
  TubeGeometry, Vector3, WebGLRenderer,
} from "three";
import { ARC, Thick, axes, grid } from "./lines.js";
import { HALO, MOST, THICK } from "./marks.js";

/** How many radii a spring is long, about: its wire is round then. */
const LONG = 16;

function coil() {
  const points = [];
  const [turns, steps] = [7, 98];
  for (let k = 0; k <= steps; k++) {
    const part = k / steps;
    const inside = part > 0.08 && part < 0.92;
    const angle = 2 * Math.PI * turns * part;
    const r = inside ? 1 : 0;
    points.push(new Vector3(r * Math.cos(angle), LONG * part, r * Math.sin(angle)));
  }
  return new TubeGeometry(new CatmullRomCurve3(points), 108, 0.2, 4).scale(1, 1 / LONG, 1);
}

/** Geometries of half axes 1; of sticks and springs from 0 to 1 along y. */
const GEOMETRIES = {
  stick: () => new CylinderGeometry(1, 1, 1, 12, 1, true).translate(0, 0.5, 0),
  end: () => new SphereGeometry(1, 12, 8),
  spring: coil,
  ball: () => new SphereGeometry(1, 28, 18),
  box: () => new BoxGeometry(2, 2, 2),
  disc: () => new CylinderGeometry(1, 1, 2, 48).rotateX(Math.PI / 2),
  pin: () => new CylinderGeometry(1, 1, 2, 20).rotateX(Math.PI / 2),
  knob: () => new SphereGeometry(1, 20, 14),
  block: () => new BoxGeometry(2, 2, 2),
  lump: () => new SphereGeometry(1, 28, 18),
  plate: () => new CylinderGeometry(1, 1, 2, 48).rotateX(Math.PI / 2),
};

/** A ring with a margin in the colour of the ground, so that it is seen on whatever is behind it. */
const RING = {
  depthTest: false,
  transparent: true,
  vertexShader: `
    attribute float strength;
    varying vec2 at;
    varying float alpha;
    void main() {
      at = ${(1 + HALO).toFixed(4)} * position.xy;
      alpha = strength;
      gl_Position = projectionMatrix * modelViewMatrix * instanceMatrix * vec4(position, 1.0);
    }`,
  fragmentShader: `
    uniform vec3 mark;
    uniform vec3 ground;
    varying vec2 at;
    varying float alpha;
    float between(float inner, float outer, float r, float pixel) {
      return smoothstep(inner - pixel, inner + pixel, r) * (1.0 - smoothstep(outer - pixel, outer + pixel, r));
    }
    void main() {
      float r = length(at);
      float pixel = 0.7 * fwidth(r);
      float ring = between(${(1 - THICK).toFixed(4)}, 1.0, r, pixel);
      float halo = between(${(1 - THICK - HALO).toFixed(4)}, ${(1 + HALO).toFixed(4)} - pixel, r, pixel);
      gl_FragColor = vec4(mix(ground, mark, ring), alpha * max(ring, halo));
      #include <colorspace_fragment>
    }`,
};

export class GlPainter {
  constructor(parts, canvas) {
    this.parts = parts;
    this.renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.scene = new Scene();
    this.ambient = new AmbientLight(0xffffff, 1.5);
    this.sun = new DirectionalLight(0xffffff, 2.1);
    this.scene.add(this.ambient, this.sun, this.sun.target);
    this.meshes = {};
    for (const [name, list] of Object.entries(parts.lists)) {
      if (list.items.length === 0) continue;
      this.meshes[name] = this.mesh(name, list.items.length);
      if (name === "stick") this.meshes.end = this.mesh("end", 2 * list.items.length);
    }
    this.spokes = this.segments(6 * (parts.lists.disc.items.length || 0));
    this.grid = this.fixed(grid(parts.run, parts.floor));
    this.axes = this.segments(18 * parts.run.bodies.length, true);
    this.arrows = this.segments(18 * parts.run.bodies.length);
    this.forces = this.pulls(3 * parts.run.forces.length);
    this.torques = this.pulls((ARC / 6) * parts.run.forces.length);
    this.rings = this.ringsOf(parts.run.places.length);
    this.matrix = new Matrix4();
    this.vectors = [new Vector3(), new Vector3(), new Vector3(), new Vector3()];
  }

  mesh(name, count) {
    const planar = this.parts.run.planar;
    const geometry =
      name === "foot"
        ? new ConeGeometry(1, 1.2, planar ? 3 : 4).translate(0, -0.6, 0)
        : (GEOMETRIES[name] ?? (() => this.solid(name)))();
    if (name === "foot" && !planar) {
      const axes = this.parts.run.upright.map((axis) => new Vector3(...axis));
      geometry.rotateX(Math.PI / 2).applyMatrix4(new Matrix4().makeBasis(...axes));
    }
    if (name === "foot" && planar) geometry.scale(0.8, 1, 0.2);
    // What stands for inertia hides no joint.
    const clear = name === "lump" || name === "plate";
    const material = new MeshLambertMaterial(clear ? { transparent: true, opacity: 0.5, depthWrite: false } : {});
    // What is inside and what outside a file may leave open.
    if (name.startsWith("mesh")) Object.assign(material, { flatShading: true, side: DoubleSide });
    const mesh = new InstancedMesh(geometry, material, count);
    mesh.frustumCulled = false;
    this.scene.add(mesh);
    return mesh;
  }

  /** What a file holds; its facets need no normals. */
  solid(name) {
    const { points, corners } = this.parts.run.solids[Number(name.slice(4))];
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(points, 3));
    return geometry.setIndex(new BufferAttribute(corners, 1));
  }

  /** Arrows of force or torque: sticks that nothing hides. */
  pulls(count) {
    if (count === 0) return undefined;
    const mesh = this.mesh("stick", count);
    mesh.material = new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.9 });
    mesh.renderOrder = 2;
    mesh.visible = false;
    return mesh;
  }

  /** Rings that face the viewer and that nothing hides: squares of which their shader leaves a ring. */
  ringsOf(places) {
    if (places === 0) return undefined;
    const material = new ShaderMaterial({ ...RING, uniforms: { mark: { value: new Color() }, ground: { value: new Color() } } });
    const mesh = new InstancedMesh(new PlaneGeometry(2, 2), material, MOST);
    mesh.geometry.setAttribute("strength", new InstancedBufferAttribute(new Float32Array(MOST), 1));
    mesh.frustumCulled = false;
    mesh.renderOrder = 3;
    this.scene.add(mesh);
    return mesh;
  }

  segments(length, colored = false) {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(length), 3));
    if (colored) {
      const rgb = [0.85, 0.25, 0.25, 0.2, 0.65, 0.3, 0.25, 0.45, 0.9];
      const colors = new Float32Array(length);
      for (let i = 0; i < length; i++) colors[i] = rgb[3 * (Math.floor(i / 6) % 3) + (i % 3)];
      geometry.setAttribute("color", new BufferAttribute(colors, 3));
    }
    const lines = new LineSegments(geometry, new LineBasicMaterial({ vertexColors: colored }));
    lines.frustumCulled = false;
    if (length > 0) this.scene.add(lines);
    return lines;
  }

  fixed(ends) {
    const lines = this.segments(ends.length);
    lines.geometry.attributes.position.array.set(ends);
    return lines;
  }

  /** The paths to be drawn, in place of those there were. */
  paths(paths) {
    if (this.traces) {
      this.scene.remove(this.traces);
      this.traces.geometry.dispose();
    }
    this.traces = paths && paths.ends.length > 0 ? this.fixed(paths.ends) : undefined;
    if (this.traces && this.palette) this.traces.material.color.set(this.palette.trace);
  }

  colors(theme, palette, hovered) {
    this.palette = palette;
    this.renderer.setClearColor(palette.ground);
    this.grid.material.color.set(palette.faint);
    this.spokes.material.color.set(palette.ground);
    this.arrows.material.color.set(palette.mark);
    this.forces?.material.color.set(palette.force);
    this.torques?.material.color.set(palette.torque);
    this.traces?.material.color.set(palette.trace);
    this.rings?.material.uniforms.mark.value.set(palette.mark);
    this.rings?.material.uniforms.ground.value.set(palette.ground);
    const color = new Color();
    for (const [name, list] of Object.entries(this.parts.lists)) {
      const mesh = this.meshes[name];
      list.items.forEach((item, k) => {
        color.set(this.parts.color(item, theme, palette));
        if (hovered && item.name === hovered.name && item.look === hovered.look) color.lerp(new Color(palette.mark), 0.55);
        mesh.setColorAt(k, color);
        if (name === "stick") {
          this.meshes.end.setColorAt(2 * k, color);
          this.meshes.end.setColorAt(2 * k + 1, color);
        }
      });
      if (mesh) mesh.instanceColor.needsUpdate = true;
      if (name === "stick" && mesh) this.meshes.end.instanceColor.needsUpdate = true;
    }
  }

  resize(width, height) {
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
    this.renderer.setSize(width, height, false);
  }

  /** Takes over where the parts are. */
  update(options) {
    const { lists } = this.parts;
    for (const [name, mesh] of Object.entries(this.meshes)) {
      const to = mesh.instanceMatrix.array;
      if (name === "stick" || name === "spring") this.sticks(lists[name].numbers, to);
      else if (name === "end") this.ends(lists.stick.numbers, to);
      else to.set(lists[name].numbers);
      mesh.instanceMatrix.needsUpdate = true;
    }
    this.radii(lists.disc);
    this.axes.visible = options.axes;
    if (options.axes) this.written(this.axes, (out) => axes(this.parts, out));
    this.arrows.visible = options.velocities !== undefined;
    if (options.velocities) this.written(this.arrows, (out) => options.velocities.ends(options.t, out));
    for (const name of ["forces", "torques"]) {
      const [mesh, arrows] = [this[name], options[name]];
      if (!mesh) continue;
      mesh.visible = arrows !== undefined;
      if (!arrows) continue;
      if (mesh.thick?.arrows !== arrows) mesh.thick = new Thick(arrows);
      this.sticks(mesh.thick.sticks(), mesh.instanceMatrix.array);
      mesh.instanceMatrix.needsUpdate = true;
    }
    this.ringed = options.rings;
    if (this.traces) this.traces.geometry.setDrawRange(0, 2 * options.passed);
  }

  written(lines, fill) {
    const position = lines.geometry.attributes.position;
    fill(position.array);
    position.needsUpdate = true;
  }

  sticks(numbers, to) {
    const [p, y, x, z] = this.vectors;
    for (let k = 0, o = 0; o < numbers.length; k += 16, o += 7) {
      p.set(numbers[o], numbers[o + 1], numbers[o + 2]);
      y.set(numbers[o + 3], numbers[o + 4], numbers[o + 5]).sub(p);
      const r = numbers[o + 6];
      if (Math.abs(y.z) < 0.9 * y.length()) x.set(0, 0, 1);
      else x.set(1, 0, 0);
      z.crossVectors(x, y).normalize().multiplyScalar(r);
      x.crossVectors(y, z).normalize().multiplyScalar(r);
      const m = [x.x, x.y, x.z, 0, y.x, y.y, y.z, 0, z.x, z.y, z.z, 0, p.x, p.y, p.z, 1];
      to.set(m, k);
    }
  }

  ends(numbers, to) {
    let k = 0;
    for (let o = 0; o < numbers.length; o += 7) {
      for (let end = 0; end < 6; end += 3, k += 16) {
        to[k] = to[k + 5] = to[k + 10] = numbers[o + 6];
        to[k + 12] = numbers[o + end];
        to[k + 13] = numbers[o + end + 1];
        to[k + 14] = numbers[o + end + 2];
        to[k + 15] = 1;
      }
    }
  }

  /** A radius on each disc, so that one sees it turn. */
  radii(discs) {
    if (discs.items.length === 0) return;
    this.written(this.spokes, (out) => {
      const m = discs.numbers;
      for (let k = 0, o = 0; o < m.length; k += 6, o += 16) {
        for (let i = 0; i < 3; i++) {
          const lift = 1.05 * m[o + 8 + i];
          out[k + i] = m[o + 12 + i] + lift;
          out[k + 3 + i] = m[o + 12 + i] + 0.95 * m[o + i] + lift;
        }
      }
    });
  }

  paint(camera) {
    // Light comes over the viewer's left shoulder.
    const { camera: eye, controls } = camera;
    const away = new Vector3().subVectors(eye.position, controls.target).length();
    this.sun.position.set(-0.4 * away, 0.6 * away, 0.9 * away).applyQuaternion(eye.quaternion).add(controls.target);
    this.sun.target.position.copy(controls.target);
    this.sun.target.updateMatrixWorld();
    this.face(eye);
    this.renderer.render(this.scene, eye);
  }

  /** Turns the rings to the viewer. */
  face(eye) {
    if (!this.rings) return;
    const [place, scale] = this.vectors;
    const { strength } = this.rings.geometry.attributes;
    this.ringed.forEach((ring, k) => {
      scale.setScalar((1 + HALO) * ring.radius);
      this.rings.setMatrixAt(k, this.matrix.compose(place.fromArray(ring.place), eye.quaternion, scale));
      strength.setX(k, ring.strength);
    });
    this.rings.count = this.ringed.length;
    this.rings.visible = this.ringed.length > 0;
    this.rings.instanceMatrix.needsUpdate = strength.needsUpdate = true;
  }

  get drawCalls() {
    return this.renderer.info.render.calls;
  }
}
