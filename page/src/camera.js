// The camera, whichever way the picture is painted: perspective or orthographic, turned, moved and
// zoomed by mouse or fingers, fitted to the mechanism, following a body.

import { MOUSE, OrthographicCamera, PerspectiveCamera, TOUCH, Vector3 } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

export const VIEW_NAMES = ["3D", "XY", "XZ", "YZ"];

const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

/** From where a view looks, and what is up in it, of a mechanism with these axes to the right, to the back and upwards: two axes
 * of the ground with the vertical one upwards, or the first of them to the right, seen from above. */
function viewOf(name, [right, back, up]) {
  if (name === "3D") return { from: [0, 1, 2].map((i) => 1.1 * right[i] - 1.7 * back[i] + 0.9 * up[i]), up };
  const axis = (letter) => ["X", "Y", "Z"].map((other) => Number(other === letter));
  const [first, second] = [axis(name[0]), axis(name[1])];
  const along = (a) => a.some((x, i) => x !== 0 && up[i] !== 0);
  if (along(second)) return { from: cross(first, up), up };
  if (along(first)) return { from: cross(second, up), up };
  return { from: up, up: cross(up, first) };
}

/** What is shown of a mechanism that hardly extends in some direction, in parts of its size. */
const LEAST = 0.3;

export class Camera {
  /** `points` are those of everything that is to be in the picture, three numbers each, `margin` how many times as much
   * is shown. */
  constructor(run, element, changed, points, margin) {
    this.run = run;
    this.element = element;
    this.changed = changed;
    this.perspective = new PerspectiveCamera(32, 1, 0.1, 10);
    this.orthographic = new OrthographicCamera(-1, 1, 1, -1, 0.1, 10);
    this.points = points;
    this.eye = new Vector3();
    this.margin = margin;
    this.followed = -1;
    this.view(run.planar ? "XY" : "3D");
  }

  view(name) {
    this.name = name;
    this.camera = name === "3D" ? this.perspective : this.orthographic;
    this.controls?.dispose();
    this.seen = viewOf(name, this.run.upright);
    this.camera.up.set(...this.seen.up);
    this.controls = new OrbitControls(this.camera, this.element);
    this.controls.enableDamping = false;
    this.controls.enableRotate = name === "3D";
    this.controls.zoomToCursor = true;
    const drag = name === "3D" ? MOUSE.ROTATE : MOUSE.PAN;
    this.controls.mouseButtons = { LEFT: drag, MIDDLE: MOUSE.DOLLY, RIGHT: MOUSE.PAN };
    this.controls.touches = { ONE: name === "3D" ? TOUCH.ROTATE : TOUCH.PAN, TWO: TOUCH.DOLLY_PAN };
    this.controls.addEventListener("change", this.changed);
    this.controls.addEventListener("start", () => (this.touched = true));
    this.fit();
  }

  /** Shows everything, over the whole run. */
  fit() {
    this.touched = false;
    const sides = [...this.sides(), new Vector3(...this.seen.from).normalize()];
    this.extents = sides.map((side) => this.extent(side));
    const centre = new Vector3();
    sides.forEach((side, k) => centre.addScaledVector(side, 0.5 * (this.extents[k][0] + this.extents[k][1])));
    const out = sides[2];
    const deep = this.extents[2][1] - this.extents[2][0];
    const distance = this.name === "3D" ? this.distance(centre, sides) : 4 * Math.max(deep, this.run.size);
    this.camera.position.copy(centre).addScaledVector(out, distance);
    this.camera.near = 0.002 * distance;
    this.camera.far = 40 * distance;
    this.controls.target.copy(centre);
    this.camera.zoom = 1;
    this.resize();
    this.controls.update();
    this.last = undefined;
    this.changed();
  }

  /** The lowest and the highest of the points along a direction. */
  extent(side) {
    const { points } = this;
    let [low, high] = [Infinity, -Infinity];
    for (let k = 0; k < points.length; k += 3) {
      const along = side.x * points[k] + side.y * points[k + 1] + side.z * points[k + 2];
      low = Math.min(low, along);
      high = Math.max(high, along);
    }
    return low <= high ? [low, high] : [-this.run.size, this.run.size];
  }

  /** From how far away all points are in the picture, seen in perspective. */
  distance(centre, [right, up, out]) {
    const { points } = this;
    const high = Math.tan(0.5 * this.perspective.fov * (Math.PI / 180)) / this.margin;
    const wide = high * this.aspect();
    let distance = (LEAST * this.run.size) / high;
    const p = new Vector3();
    for (let k = 0; k < points.length; k += 3) {
      p.fromArray(points, k).sub(centre);
      distance = Math.max(distance, p.dot(out) + Math.max(Math.abs(p.dot(right)) / wide, Math.abs(p.dot(up)) / high));
    }
    return distance;
  }

  aspect() {
    return Math.max(1, this.element.clientWidth) / Math.max(1, this.element.clientHeight);
  }

  resize() {
    const aspect = this.aspect();
    this.perspective.aspect = aspect;
    if (this.camera === this.orthographic) {
      const [wide, high] = this.extents.map(([low, high]) => high - low);
      const height = this.margin * Math.max(high, wide / aspect, LEAST * this.run.size);
      this.orthographic.top = 0.5 * height;
      this.orthographic.bottom = -0.5 * height;
      this.orthographic.left = -0.5 * height * aspect;
      this.orthographic.right = 0.5 * height * aspect;
    }
    this.camera.updateProjectionMatrix();
  }

  sides() {
    const up = new Vector3(...this.seen.up);
    const out = new Vector3(...this.seen.from).normalize();
    const right = up.clone().cross(out).normalize();
    return [right, out.clone().cross(right).normalize()];
  }

  /** Moves along with a body from where it was seen last. */
  follow(origin) {
    const now = new Vector3(origin[0], origin[1], origin[2]);
    if (this.last && Number.isFinite(now.x + now.y + now.z)) {
      const moved = now.clone().sub(this.last);
      this.camera.position.add(moved);
      this.controls.target.add(moved);
      this.camera.updateMatrixWorld();
    }
    this.last = now;
  }

  /** Pixels for a unit of length at a point. */
  scaleAt(point) {
    const height = Math.max(1, this.element.clientHeight);
    if (this.camera === this.orthographic) {
      return (height * this.camera.zoom) / (this.camera.top - this.camera.bottom);
    }
    const depth = point.distanceTo(this.camera.position);
    return height / (2 * depth * Math.tan(0.5 * this.perspective.fov * (Math.PI / 180)));
  }

  /** How far a point is in front of the viewer, as a length. */
  depth(point) {
    return -this.eye.copy(point).applyMatrix4(this.camera.matrixWorldInverse).z;
  }

  /** A point on the screen, in pixels, with its depth. */
  project(point, out) {
    out.copy(point).project(this.camera);
    out.x = 0.5 * (1 + out.x) * this.element.clientWidth;
    out.y = 0.5 * (1 - out.y) * this.element.clientHeight;
    return out;
  }
}
