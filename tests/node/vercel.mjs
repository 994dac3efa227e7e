// Prints the headers of each path by a vercel.json, as Vercel's own routing finds them: node vercel.mjs FILE PATH…
import { readFile } from "node:fs/promises";
import routing from "@vercel/routing-utils";

const [file, ...paths] = process.argv.slice(2);
const { routes, error } = routing.getTransformedRoutes(JSON.parse(await readFile(file, "utf8")));
if (error) throw new Error(error.message);
const found = (path) => routes.filter(({ src }) => src && new RegExp(src).test(path)).map(({ headers }) => headers);
console.log(JSON.stringify(paths.map((path) => Object.assign({}, ...found(path)))));
