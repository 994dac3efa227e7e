// Reads documents with openapi-fetch and the types of openapi-typescript.
//
// Lines of "schema TAB file" become lines of JSON: the document as it was read.
import { readFileSync } from "node:fs";
import createClient from "openapi-fetch";
import type { components, paths } from "./client.js";

/** How a client takes events: of its own kinds with their fields, of others not at all. */
function version(event: components["schemas"]["Event"]): string | null {
  switch (event.kind) {
    case "vulnerability-gone":
      return event.version;
    case "latest-changed":
      return event.to;
    default:
      return null;
  }
}

for (const line of readFileSync(0, "utf-8").trimEnd().split("\n")) {
  const [name, path] = line.split("\t") as [string, string];
  const fetch = async () => new Response(readFileSync(path), { headers: { "content-type": "application/json" } });
  const api = createClient<paths>({ baseUrl: "https://example.org", fetch });
  const { data } = await api.GET("/api/v1/changes/{date}.json", { params: { path: { date: "2026-01-31" } } });
  if (name === "DayChanges") data?.data.forEach(version);
  console.log(JSON.stringify({ document: data }));
}
