// Bundles src/ with three and uPlot into dist/page.html, the template that the Rust side fills. With
// --check nothing is written: it is compared with what is checked in.
import { build } from "esbuild";
import { readFileSync, writeFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const read = (path) => readFileSync(join(here, path), "utf8");

const bundled = await build({
  entryPoints: [join(here, "src/main.js")],
  bundle: true,
  minify: true,
  write: false,
  outdir: "out",
  format: "iife",
  target: "es2020",
  charset: "utf8",
  legalComments: "none",
  loader: { ".css": "css" },
});
const output = (end) => bundled.outputFiles.find((file) => file.path.endsWith(end)).text;

const licences = ["three", "uplot"].map((name) => {
  const { version } = JSON.parse(read(`node_modules/${name}/package.json`));
  return `${name} ${version}\n\n${read(`node_modules/${name}/LICENSE`).trim()}\n`;
});
const notice = "This page contains the following libraries.\n\n" + licences.join("\n\n");

// What ends a script may not stand in one, and what ends a comment not in a comment.
const script = output(".js").replaceAll("</script", "<\\/script").trim();
const parts = {
  "/*STYLE*/": output(".css").trim(),
  "/*SCRIPT*/": script,
  "/*LICENCES*/": notice.replaceAll("--", "- -"),
};
let page = read("src/page.html");
for (const [mark, text] of Object.entries(parts)) page = page.replace(mark, () => text);

const results = { "dist/page.html": page, "dist/LICENCES.txt": notice };
if (process.argv.includes("--check")) {
  const stale = Object.keys(results).filter((path) => read(path) !== results[path]);
  if (stale.length > 0) {
    console.error(`${stale.join(", ")}: not what src/ builds to; run \`npm run build\` in page/`);
    process.exit(1);
  }
} else {
  mkdirSync(join(here, "dist"), { recursive: true });
  for (const [path, text] of Object.entries(results)) {
    writeFileSync(join(here, path), text);
    console.log(`${path}: ${(text.length / 1000).toFixed(0)} kB`);
  }
}
