// Prints the headers of each path by a `_headers` file, as Netlify's own tools find them: node netlify.mjs FILE PATH…
import { parseAllHeaders } from "@netlify/headers-parser";

const [file, ...paths] = process.argv.slice(2);
const { headers, errors } = await parseAllHeaders({ headersFiles: [file], configHeaders: [], minimal: false });
if (errors.length) throw errors[0];
const found = (path) => headers.filter(({ forRegExp }) => forRegExp.test(path)).map(({ values }) => values);
console.log(JSON.stringify(paths.map((path) => Object.assign({}, ...found(path)))));
