// What Renovate's own code makes of the documents of a folder: node renovate.cjs http://127.0.0.1:8000/catalog < asked
const { lookupUpdates } = require("renovate/dist/workers/repository/process/lookup/index.js");
const { getConfig } = require("renovate/dist/config/defaults.js");
const { GlobalConfig } = require("renovate/dist/config/global.js");

const [site] = process.argv.slice(2);
const asked = JSON.parse(require("fs").readFileSync(0, "utf8"));
GlobalConfig.set({ localDir: process.cwd(), cacheDir: process.cwd() });

(async () => {
  const found = [];
  for (const { slug, version, digest } of asked) {
    const result = await lookupUpdates({
      ...getConfig(),
      customDatasources: {
        catalog: { defaultRegistryUrlTemplate: `${site}/api/v1/renovate/{{packageName}}.json` },
      },
      datasource: "custom.catalog",
      packageName: slug,
      depName: slug,
      currentValue: version,
      currentDigest: digest,
      versioning: "docker",
      rangeStrategy: "replace",
      separateMajorMinor: false,
      ignoreUnstable: true,
    });
    const { updates, warnings } = result.unwrapOrThrow ? result.unwrapOrThrow() : result;
    found.push({ slug, warnings, updates: updates.map(({ newValue, newDigest, releaseTimestamp }) => ({ newValue, newDigest, releaseTimestamp })) });
  }
  process.stdout.write(JSON.stringify(found));
  process.exit(0);
})();
