// Renders endpoint payloads as Shields.io does: node badges.mjs API OUT, one SVG for each document of API/badge
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeBadge } from "badge-maker";
import * as icons from "simple-icons";

const [api, out] = process.argv.slice(2);
const bySlug = new Map(Object.values(icons).map((icon) => [icon.slug, icon]));
const base64 = (svg) => `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`;

function logo({ namedLogo, logoColor, logoSvg }) {
  if (logoSvg) return base64(logoSvg);
  const icon = bySlug.get(namedLogo);
  if (!icon) throw new Error(`simple-icons has no ${namedLogo}`);
  return base64(icon.svg.replace("<svg ", `<svg fill="${logoColor}" `));
}

for (const name of await readdir(join(api, "badge"), { recursive: true })) {
  if (!name.endsWith(".json")) continue;
  const payload = JSON.parse(await readFile(join(api, "badge", name), "utf8"));
  const { schemaVersion, label, message, color, labelColor, namedLogo, logoColor, logoSvg, style, cacheSeconds, ...other } =
    payload;
  if (Object.keys(other).length) throw new Error(`${name}: unknown keys ${Object.keys(other)}`);
  const file = join(out, name.replace(/json$/, "svg"));
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, makeBadge({ label, message, color, labelColor, style, logoBase64: logo(payload) }));
}
