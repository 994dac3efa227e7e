// Reads documents with the client of openapi-generator's typescript-fetch.
//
// Lines of "schema TAB file" become lines of JSON: the document as it was read, or the error.
import { readFileSync } from "node:fs";
import * as models from "./client/models/index.js";

const functions = models as unknown as Record<string, (value: unknown) => unknown>;
for (const line of readFileSync(0, "utf-8").trimEnd().split("\n")) {
  const [name, path] = line.split("\t") as [string, string];
  let read;
  try {
    const document = functions[`${name}FromJSON`]!(JSON.parse(readFileSync(path, "utf-8")));
    read = { document: functions[`${name}ToJSON`]!(document) };
  } catch (error) {
    read = { error: String(error) };
  }
  console.log(JSON.stringify(read));
}
