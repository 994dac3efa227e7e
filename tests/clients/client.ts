// Lists every image with a critical vulnerability, and which: node client.js https://example.org/hardened
import createClient from "openapi-fetch";
import type { components, paths } from "./catalog.js";

type Image = components["schemas"]["Image"];

const api = createClient<paths>({ baseUrl: process.argv[2] ?? "" });

/** Every image, page by page. */
async function* images(): AsyncGenerator<Image> {
  let page = 1;
  while (true) {
    const { data } = await api.GET("/api/v1/images/{page}.json", { params: { path: { page } } });
    if (data === undefined) throw new Error(`no page ${page}`);
    yield* data.data;
    if (data.links.next === null) return;
    page += 1;
  }
}

/** The ids of the critical vulnerabilities of a release. */
async function criticalIds(slug: string, version: string): Promise<string[]> {
  const params = { path: { slug, version } };
  const { data } = await api.GET("/api/v1/security/{slug}/{version}.json", { params });
  if (data === undefined || data.cves === null) throw new Error(`${slug} ${version} has no scan`);
  return data.cves.filter((cve) => cve.severity === "CRITICAL").map((cve) => cve.id);
}

const found: Record<string, string[]> = {};
for await (const image of images()) {
  const { critical, version } = image.security;
  // @ts-expect-error: what has no scan has no counters, and the types say so
  const careless: number = critical;
  if (critical !== null && critical > 0 && version !== null) {
    found[image.slug] = await criticalIds(image.slug, version);
  }
}

const missing = await api.GET("/api/v1/images/{slug}/index.json", { params: { path: { slug: "no-such-image" } } });
console.log(JSON.stringify({ found, missing: missing.response.status }));
