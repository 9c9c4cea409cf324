// The camera, whichever way the picture is painted: perspective or orthographic, turned, moved and
// zoomed by mouse or fingers, fitted to the mechanism, following a body.

import { MOUSE, OrthographicCamera, PerspectiveCamera, TOUCH, Vector3 } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

/** From where each view looks, and what is up in it. */
const VIEWS = {
  "3D": { from: [1.1, -1.7, 0.9], up: [0, 0, 1] },
  XY: { from: [0, 0, 1], up: [0, 1, 0] },
  XZ: { from: [0, -1, 0], up: [0, 0, 1] },
  YZ: { from: [1, 0, 0], up: [0, 0, 1] },
};
export const VIEW_NAMES = Object.keys(VIEWS);
const MARGIN = 1.12;

export class Camera {
  constructor(run, element, changed, bounds) {
    this.run = run;
    this.element = element;
    this.changed = changed;
    this.perspective = new PerspectiveCamera(32, 1, 0.1, 10);
    this.orthographic = new OrthographicCamera(-1, 1, 1, -1, 0.1, 10);
    const [low, high] = bounds.map((p) => new Vector3(...p));
    this.low = low;
    this.high = high;
    this.reach = Math.max(0.5 * low.distanceTo(high), 0.6 * run.size);
    this.followed = -1;
    this.view(run.planar ? "XY" : "3D");
  }

  view(name) {
    this.name = name;
    this.camera = name === "3D" ? this.perspective : this.orthographic;
    this.controls?.dispose();
    this.camera.up.set(...VIEWS[name].up);
    this.controls = new OrbitControls(this.camera, this.element);
    this.controls.enableDamping = false;
    this.controls.enableRotate = name === "3D";
    this.controls.zoomToCursor = true;
    const drag = name === "3D" ? MOUSE.ROTATE : MOUSE.PAN;
    this.controls.mouseButtons = { LEFT: drag, MIDDLE: MOUSE.DOLLY, RIGHT: MOUSE.PAN };
    this.controls.touches = { ONE: name === "3D" ? TOUCH.ROTATE : TOUCH.PAN, TWO: TOUCH.DOLLY_PAN };
    this.controls.addEventListener("change", this.changed);
    this.fit();
  }

  /** Shows everything, over the whole run. */
  fit() {
    const centre = this.low.clone().add(this.high).multiplyScalar(0.5);
    const { from } = VIEWS[this.name];
    const out = new Vector3(...from).normalize();
    const half = 0.5 * this.perspective.fov * (Math.PI / 180);
    const narrow = Math.min(1, this.aspect());
    const distance =
      this.name === "3D" ? (0.92 * this.reach) / Math.sin(half) / narrow : 8 * this.reach;
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

  aspect() {
    return Math.max(1, this.element.clientWidth) / Math.max(1, this.element.clientHeight);
  }

  resize() {
    const aspect = this.aspect();
    this.perspective.aspect = aspect;
    if (this.camera === this.orthographic) {
      // How wide and high the box over the run is from there.
      const [right, up] = this.sides();
      const extent = this.high.clone().sub(this.low);
      const along = (side) => Math.abs(side.x * extent.x) + Math.abs(side.y * extent.y) + Math.abs(side.z * extent.z);
      const least = 0.3 * this.run.size;
      const height = MARGIN * Math.max(along(up), along(right) / aspect, least);
      this.orthographic.top = 0.5 * height;
      this.orthographic.bottom = -0.5 * height;
      this.orthographic.left = -0.5 * height * aspect;
      this.orthographic.right = 0.5 * height * aspect;
    }
    this.camera.updateProjectionMatrix();
  }

  sides() {
    const up = new Vector3(...VIEWS[this.name].up);
    const out = new Vector3(...VIEWS[this.name].from).normalize();
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

  /** A point on the screen, in pixels, with its depth. */
  project(point, out) {
    out.copy(point).project(this.camera);
    out.x = 0.5 * (1 + out.x) * this.element.clientWidth;
    out.y = 0.5 * (1 - out.y) * this.element.clientHeight;
    return out;
  }
}
