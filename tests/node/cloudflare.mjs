// Serves a folder the way Cloudflare Pages does, with Cloudflare's own code: node cloudflare.mjs FOLDER PORT
import { readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { createJiti } from "jiti";

const [folder, port] = process.argv.slice(2);
const jiti = createJiti(import.meta.url);
const cloudflare = "@cloudflare/pages-shared";
const { generateHandler } = await jiti.import(`${cloudflare}/asset-server/handler.ts`);
const { parseHeaders } = await jiti.import(`${cloudflare}/metadata-generator/parseHeaders.ts`);
const { createMetadataObject } = await jiti.import(`${cloudflare}/metadata-generator/createMetadataObject.ts`);

const headers = parseHeaders(await readFile(join(folder, "_headers"), "utf8"));
if (headers.invalid.length) throw new Error(JSON.stringify(headers.invalid));
const metadata = createMetadataObject({ headers });
const types = { ".json": "application/json", ".html": "text/html; charset=utf-8" };

const find = async (path) => ((await stat(join(folder, path)).catch(() => null))?.isFile() ? path : null);
const fetchAsset = async (path) => ({
  body: await readFile(join(folder, path)),
  contentType: types[extname(path)] ?? "application/octet-stream",
});

createServer(async ({ url, method }, answer) => {
  const response = await generateHandler({
    request: new Request(new URL(url, "http://localhost"), { method }),
    metadata,
    logError: console.error,
    findAssetEntryForPath: find,
    getAssetKey: (path) => path,
    negotiateContent: () => ({ encoding: null }),
    fetchAsset,
  });
  answer.writeHead(response.status, Object.fromEntries(response.headers));
  answer.end(Buffer.from(await response.arrayBuffer()));
}).listen(Number(port), "127.0.0.1");
