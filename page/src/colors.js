// Colours that can be told apart on light and on dark ground.

const PALETTE = [
  "#2f6fb0", "#d9822b", "#3a9a5b", "#b8455a", "#7a5fb5", "#1f9ea3", "#b59a1d", "#c2649a",
  "#6a7f3f", "#8d6e54",
];

const NAMED = {
  red: "#c8393c", orange: "#d9822b", yellow: "#c9a51c", green: "#3a9a5b", teal: "#1f9ea3",
  blue: "#2f6fb0", purple: "#7a5fb5", pink: "#c2649a", brown: "#8d6e54", black: "#22262b",
  grey: "#84898f", gray: "#84898f", white: "#f2f2f0",
};

export const THEMES = {
  light: {
    ground: "#fbfaf7", ink: "#22262b", faint: "#dedbd3", soft: "#8b8b86", mark: "#c8393c",
    pin: "#3a3f45", base: "#9aa0a6", trace: "#a4742a", force: "#1c7a52", torque: "#7a3fa0",
  },
  dark: {
    ground: "#16191d", ink: "#e6e4df", faint: "#2b3036", soft: "#868c93", mark: "#ff6f61",
    pin: "#c9cdd2", base: "#6c737a", trace: "#d8a657", force: "#5fd39a", torque: "#c79be8",
  },
};

export function ofIndex(k) {
  return PALETTE[k % PALETTE.length];
}

/** The colour of a run's curves, and of all that is drawn of a further one. */
export function ofRun(k) {
  return k === 0 ? PALETTE[0] : ["#d9822b", "#7a5fb5", "#1f9ea3", "#c2649a", "#6a7f3f", "#8d6e54"][(k - 1) % 6];
}

/** A colour as the model says; black and white keep their distance from the ground. */
export function ofName(name, theme) {
  if (name === "black" && theme === "dark") return "#cfd2d6";
  if (name === "white" && theme === "light") return "#d8d8d4";
  return NAMED[name] ?? name;
}
