// node build.mjs CATALOG OUT: collections, pages of 24, security summary, details and releases; nothing is
// checked, joined or graded, and there are no item documents, badges, OpenAPI document or manifest.
import fs from "node:fs";
import path from "node:path";
import matter from "gray-matter";
import yaml from "js-yaml";

const [catalog, out] = process.argv.slice(2);
const api = "/api/v1";
const made = new Set();

function put(name, body) {
  const file = path.join(out, api, `${name}.json`);
  const folder = path.dirname(file);
  if (!made.has(folder)) {
    fs.mkdirSync(folder, { recursive: true });
    made.add(folder);
  }
  fs.writeFileSync(file, JSON.stringify(body));
}

function pages(kind) {
  const folder = path.join(catalog, "docs", kind);
  return fs.readdirSync(folder).sort().map((name) => matter(fs.readFileSync(path.join(folder, name), "utf8")).data);
}

function release(slug, version) {
  const report = JSON.parse(fs.readFileSync(path.join(catalog, "scans", slug, `${version}.json`), "utf8"));
  const rows = new Map();
  for (const { Target, Vulnerabilities } of report.Results) {
    for (const found of Vulnerabilities ?? []) {
      const key = `${found.VulnerabilityID} ${found.PkgName} ${found.InstalledVersion}`;
      const row = rows.get(key);
      if (row === undefined) {
        rows.set(key, {
          id: found.VulnerabilityID,
          severity: found.Severity,
          pkg: found.PkgName,
          installed: found.InstalledVersion,
          fixed: found.FixedVersion ?? "",
          title: found.Title,
          url: found.PrimaryURL,
          targets: [Target],
        });
      } else if (!row.targets.includes(Target)) row.targets.push(Target);
    }
  }
  const cves = [...rows.values()];
  return { version, total: cves.length, fixable: cves.filter((row) => row.fixed).length, cves };
}

const images = pages("images");
const summary = {};
for (const image of images) {
  const { slug } = image;
  const versions = image.versions.map(({ version }) => release(slug, version));
  for (const one of versions) put(`security/${slug}/${one.version}`, { apiVersion: "v1", resource: "security", slug, ...one });
  put(`security/${slug}`, { apiVersion: "v1", resource: "security", slug, latest: versions[0], versions });
  const counters = { critical: 0, high: 0, medium: 0, low: 0, unknown: 0 };
  for (const row of versions[0].cves) counters[row.severity.toLowerCase()]++;
  image.security = { ...counters, total: versions[0].total };
  summary[slug] = { ...image.security, href: `${api}/security/${slug}.json` };
}
put("security", { apiVersion: "v1", resource: "security", images: summary });

const updates = yaml.load(fs.readFileSync(path.join(catalog, "updates.yml"), "utf8"));
for (const [resource, data] of Object.entries({ images, charts: pages("charts"), roadmap: pages("roadmap"), updates })) {
  const total = data.length;
  const totalPages = Math.ceil(total / 24);
  const address = (page) => `${api}/${resource}/${page}.json`;
  put(resource, { apiVersion: "v1", resource, total, data });
  for (let page = 1; page <= totalPages; page++) {
    const links = {
      self: address(page),
      first: address(1),
      last: address(totalPages),
      prev: page > 1 ? address(page - 1) : null,
      next: page < totalPages ? address(page + 1) : null,
      collection: `${api}/${resource}.json`,
    };
    const part = data.slice((page - 1) * 24, page * 24);
    put(`${resource}/${page}`, { apiVersion: "v1", resource, page, perPage: 24, total, totalPages, links, data: part });
  }
}
