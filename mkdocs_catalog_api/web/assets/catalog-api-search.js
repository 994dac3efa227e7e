// Loaded on the first search: versions, tags, digests and ids, updates, and who has a vulnerability.

const { $, $$, action, anchor, asked, bySeverity, days, itemAt, link, lists, load, make, many, verdict } = globalThis.catalogApi;

// The terms to look for: the last part of a reference, the first 12 digits of a digest.
const terms = text =>
  text
    .toLowerCase()
    .replace(/\S*\//g, "")
    .split(/[\s:@]+/)
    .filter(word => word && word !== "sha256")
    .map(word => (/^[0-9a-f]{12,}$/.test(word) ? word.slice(0, 12) : word));
const idIn = text => text.trim().match(/^((CVE|GO|MAL|OSV|PYSEC|RUSTSEC)-\d{4}|GHSA|DSA|DLA|USN|RHSA|ELSA|ALAS\d*|TEMP)-[\w:.-]+$/i)?.[0];
const hasId = wanted => ({ aliases, id }) => [id, ...aliases].some(one => one.toLowerCase() === wanted.toLowerCase());
const unknownDigest = "No version has or had this digest.";

// Whether a version is of the line that a word names: 20.19.5 of `20` and of `v20.19`.
const bare = label => label.toLowerCase().replace(/^v(?=\d)/, "");
const ofLine = (version, word) => /^\d/.test(bare(word)) && bare(version).startsWith(`${bare(word)}.`);
const parts = ({ version }) => version.split(/[-_+]/).length;

const where = ({ images, latestReleases, suppressed }, found) =>
  `${many(images, "image")}, ${latestReleases} in the newest version${found ? `; in ${many(found.charts.length, "chart")}${suppressed ? `; suppressed in ${many(suppressed, "version")}` : ""}.` : ""}`;
// The packages of that name, also without its namespace, or with its type: `apk/busybox`.
const plain = name => `/${name.trim().toLowerCase().replaceAll(":", "/")}`;
const named = async (index, text) => {
  const { data } = text.trim()[1] && index ? await load(index) : { data: [] };
  return data.filter(({ href, name, type }) => href && plain(`${type}/${name}`).endsWith(plain(text)));
};

export const search = list => {
  const { search: api, finder, list: listed, lookups } = list.data;
  let index;
  const entryOf = async id => lookups.includes("cves") && (await load(`${api}cves/index.json`)).data.find(hasId(id));

  // None while the text is the beginning of an image's name.
  const packages = async text => {
    const own = [...index.keys()].some(slug => slug.startsWith(text.trim().toLowerCase()));
    return own ? [] : named(lookups.includes("packages") && `${api}packages/index.json`, text);
  };

  // Returns the slugs with the id or package that the text is.
  const prepare = async text => {
    const { data } = await load(`${api}search.json`);
    if (!index) {
      index = new Map(data.map(entry => [entry.slug, entry]));
      list.search = finds;
      list.texts = new WeakMap();
      for (const item of await list.rows()) list.text(item);
    }
    const id = listed !== "cves" && idIn(text);
    const entry = id && (await entryOf(id));
    if (entry?.href) {
      const found = await load(link(entry.href));
      return new Set((found[listed] ?? found.data).map(({ slug }) => slug));
    }
    const found = listed === "images" ? await Promise.all((await packages(text)).map(({ href }) => load(link(href)))) : [];
    return new Set(found.flatMap(({ data }) => data.flatMap(({ images }) => images.map(({ slug }) => slug))));
  };

  const words = ({ slug }) => {
    const entry = listed === "images" && index?.get(slug);
    if (!entry) return [];
    const { base, custom, former, license, replaces, versions } = entry;
    return [base, license, replaces, ...Object.values(custom), former.map(entry => entry.digestPrefixes), versions.map(entry => [entry.version, entry.tags, entry.digestPrefixes])].flat(3);
  };

  const explainId = async id => {
    const known = await entryOf(id);
    if (!known) return [lookups.includes("cves") ? `No scan of a listed version has ${id}.` : ""];
    const { id: name, severity } = known;
    const found = known.href ? await load(link(known.href)) : { data: [], charts: [] };
    const title = finder ? anchor(name, `${finder}?id=${encodeURIComponent(name)}`) : name;
    return [title, ` (${severity.toLowerCase()}): in ${where(known, found)}`];
  };

  // Versions by digest, label or tag, the newest of an image by its name, or of its line, which has the fewest words.
  const versionsOf = text => {
    const wanted = terms(text);
    return [...index.values()].flatMap(({ former, name, replaces, slug, versions }) => {
      const names = [slug, name.toLowerCase(), ...replaces.flatMap(terms)];
      const others = word => wanted.every(other => other === word || names.join(" ").includes(other));
      const is = ({ digestPrefixes, tags, version }, word) => digestPrefixes.includes(word) || [version, ...tags].some(label => label.toLowerCase() === word);
      const hits = versions.filter(version => wanted.some(word => is(version, word) && others(word)));
      if (!hits[0] && names.includes(wanted.join(" "))) hits.push(...versions.slice(0, 1));
      const line = wanted.find(word => versions.some(({ version }) => ofLine(version, word)) && others(word));
      if (!hits[0] && wanted[1] && line) {
        const [newest] = versions.filter(({ version }) => ofLine(version, line)).sort((a, b) => parts(a) - parts(b));
        hits.push({ ...newest, line });
      }
      const builds = former.filter(({ digestPrefixes }) => wanted.some(word => digestPrefixes.includes(word) && others(word)));
      return [...hits, ...builds.map(build => ({ ...build, former: true }))].map(({ former: old, line, version }) => ({ former: old, line, name, slug, version }));
    });
  };

  // Updates for a version: by the full digest, else by its image.
  const documentOf = async (hit, hex) => {
    if (hex.length === 64 && lookups.includes("digests")) return `digests/sha256/${hex}`;
    const { image } = (await load(`${api}images/${hit.slug}/index.json`)).data;
    const registry = /^([^/]*[.:][^/]*|localhost)\//.test(image) ? "" : image.includes("/") ? "docker.io/" : "docker.io/library/";
    return `references/${(registry + image).replaceAll("/", "~").replace(":", "_")}`;
  };

  // The versions of an image that does not have the one in the text.
  const others = text => {
    const wanted = terms(text);
    const image = wanted[1] && [...index.values()].find(({ name, slug }) => [slug, name.toLowerCase()].includes(wanted[0]));
    return [image ? `${image.name} has no version ${wanted.slice(1).join(" ")}.` : ""];
  };

  const explain = async text => {
    const id = idIn(text);
    if (id) return explainId(id);
    const [, algorithm, hex = ""] = text.trim().toLowerCase().match(/(sha256:)?\b([0-9a-f]{12,64})$/) ?? [];
    const hits = versionsOf(text);
    const [hit] = hits;
    if (!hit && !algorithm) {
      const inside = (await packages(text)).slice(0, 5);
      const title = ({ name, type }) => (finder ? anchor(name, `${finder}?package=${type}/${encodeURIComponent(name)}`) : name);
      if (inside[0]) return inside.flatMap(entry => [title(entry), ` (${entry.type}): in ${where(entry)}. `]);
    }
    if (!hit) return algorithm ? [unknownDigest] : others(text);
    const { data: images } = await load(`${api}images/index.json`);
    const page = ({ slug, version }, label) => {
      const { latest, url } = images.find(image => image.slug === slug);
      const query = version === latest ? "" : `?release=${encodeURIComponent(version)}#catalog-vulnerabilities`;
      return url ? anchor(label, link(url) + query) : label;
    };
    const title = version => page(version, `${version.name} ${version.version}`);
    if (hit.former && !(hex.length === 64 && lookups.includes("former"))) return [`${hex}… is a former build of `, title(hit), "."];
    if (hits.at(-1).slug !== hit.slug || !lookups.includes("references")) {
      const more = hits.length > 5 ? ` and ${hits.length - 5} more` : "";
      return [...hits.slice(0, 5).flatMap((version, position) => [position ? " · " : "", title(version)]), more];
    }
    let rows;
    try {
      rows = (await load(`${api + (await documentOf(hit, hex))}.json`)).data;
    } catch (error) {
      if (error.status === 404 && hex) return [unknownDigest];
      throw error;
    }
    const { concerns, digest, endOfLife, image, isLatest, listed: current, newLine, security, until, upgrade, version } = rows.find(row => row.version === hit.version) ?? rows[0];
    const to = upgrade ?? (hit.line ? null : newLine);
    const ended = days(endOfLife) >= 1;
    const own = title({ ...hit, version });
    const said = make("p");
    const headline = make("b");
    if (!current) headline.append(`${hex.slice(0, 12)}… is a former build of `, own, until ? `, replaced on ${until}.` : ".");
    else if (hit.line) headline.append(`The newest ${hit.name} ${hit.line} is `, page(hit, version), ".");
    else if (isLatest) headline.append(own, " is the newest version.");
    else headline.append("You are on ", own, ".");
    if (to) headline.append(" Update to ", page({ ...hit, ...to }, to.version), ".");
    said.append(headline, ` ${security.total ? `${many(security.total, "known vulnerability")} (${bySeverity(security)})` : verdict(security)}.`);
    for (const update of [upgrade, newLine]) {
      if (!update) continue;
      const { adds, fixes } = update;
      if (fixes || adds) said.append(` ${update.version}${update === newLine ? " (next line)" : ""} fixes ${fixes || "none"} and adds ${adds || "none"}.`);
      else if (update !== to) said.append(` The next line is ${update.version}.`);
    }
    if (concerns[0]) said.append(` Concerns: ${concerns.join(", ").replaceAll("-", " ")}.`);
    if (endOfLife) said.append(ended ? ` Its support ended on ${endOfLife}.` : ` ${version} is supported until ${endOfLife}.`);
    const use = make("p", "catalog-digest");
    const best = to ?? { version, digest };
    use.append(make("code", "", `${image}:${best.version}${best.digest ? `@${best.digest}` : ""}`), action("catalog-copy", "Copy"));
    const bad = /withdrawn|gone|exploited|critical|system/.test(concerns);
    const state = bad || ended ? "bad" : concerns.includes("not-scanned") ? "unknown" : to || concerns[0] ? "fair" : "good";
    return Object.assign([said, use], { state });
  };

  const finds = { explain, prepare, terms, words };
  return finds;
};

export const lookup = async root => {
  const box = $(root, ".catalog-found");
  const [all, who] = lists.filter(list => root.contains(list.root));
  if (!box) return;
  // The theme's search asks for the parts of a word, those of an id in any order.
  const word = asked("h").toLowerCase().replaceAll(" ", "-");
  const ids = word && !asked("id") ? (await all.rows()).flatMap(({ aliases, id }) => [id, ...aliases]) : [];
  const id = asked("id").trim() || (ids.find(one => one.toLowerCase().split("-").every(part => word.split("-").includes(part))) ?? "");
  const name = asked("package") || (idIn(id) ? "" : id || word);
  const packages = await named(root.dataset.packages, name).catch(() => []);
  const hidden = !id && !asked("package") && !packages[0];
  for (const part of [all.root, $(root, ".catalog-ids")]) part?.toggleAttribute("hidden", !hidden);
  box.hidden = hidden;
  if (hidden) return;
  const [, , title, summary, known, charts] = $$(box, ":scope > *, .catalog-installed");
  title.textContent = packages.map(({ name, type }) => `${name} (${type})`).join(", ") || name || id;
  charts.textContent = summary.textContent = "";
  known.hidden = true;
  const about = known.firstElementChild;
  try {
    const images = new Map((await load(root.dataset.pages)).data.map(image => [image.slug, image]));
    const row = (slug, version, hash) => {
      const { latest, lifecycle, name, url } = images.get(slug) ?? {};
      const age = version === latest ? "newest" : "older";
      return { age, lifecycle, name, slug, version, url: url && `${url}${age === "newest" ? "" : `?release=${encodeURIComponent(version)}`}#${encodeURIComponent(hash)}` };
    };
    // counts: images without a fixed version, with an update, and those of which neither is known
    const show = (rows, counts) => {
      $(known, "dl").hidden = !counts.some(({ size }) => size);
      $$(known, "dl b").forEach((count, position) => (count.textContent = counts[position].size));
      known.hidden = false;
      who.rows = () => rows;
      who.other = true;
      return who.render();
    };
    about.hidden = !!packages[0];
    if (packages[0]) {
      const documents = await Promise.all(packages.map(({ href }) => load(link(href))));
      const less = documents[0].releasesInPart + documents[0].releasesUnknown;
      summary.textContent = `In ${packages.map(entry => where(entry)).join("; ")}.${less ? ` ${many(less, "version")} not wholly known.` : ""}`;
      const rows = documents.flatMap(({ data }) =>
        data.flatMap(({ fixed, ids, images: having, name: pkg, version: installed }) =>
          having.flatMap(({ isLatest, slug, update, versions }) =>
            versions.map(version => {
              const packages = [{ pkg, installed, fixed: ids[0] ? fixed[0] : "none known" }];
              return { ...row(slug, version, "catalog-vulnerabilities"), ...update, version, update, open: ids[0] && isLatest, ids, packages };
            }),
          ),
        ),
      );
      const slugs = wanted => new Set(rows.filter(wanted).map(({ slug }) => slug));
      const still = slugs(({ open }) => open);
      for (const row of rows) {
        row.state = !row.ids[0] ? 3 : still.has(row.slug) ? 0 : row.update ? 2 : 1;
        row.without = ["none yet", "not known", row.update?.version, "–"][row.state];
      }
      const [unknown, updated] = [1, 2].map(state => slugs(row => row.state === state));
      unknown.forEach(slug => updated.delete(slug));
      await show(rows.sort((a, b) => a.state - b.state), [still, updated, unknown]);
      return;
    }
    // An id that two vulnerabilities claim has a document of both.
    const [entry, other] = (await all.rows()).filter(hasId(id)).sort((a, b) => (b.id === id) - (a.id === id));
    const { href } = { ...entry };
    if (!href) {
      summary.textContent = entry ? many(entry.images, "image") : `No scan of a listed version has ${id}.`;
      return;
    }
    const alias = entry.aliases.find(one => one.toLowerCase() === id.toLowerCase());
    const found = await load(link(other && alias ? href.replace(/[^/]*$/, `${alias.replaceAll(":", "-")}.json`) : href));
    title.textContent = found.id;
    // Packages of one name in two ecosystems are named with these.
    const every = found.data.flatMap(({ affected }) => affected).flatMap(({ packages }) => packages);
    const type = ({ purl }) => purl.match(/^pkg:(\w+)/)?.[1] ?? "";
    const twice = part => every.some(({ pkg, ...one }) => pkg === part.pkg && type(one) !== type(part));
    const distinct = part => (twice(part) ? { ...part, pkg: `${part.pkg} (${type(part) || "?"})` } : part);
    summary.textContent = `In ${where(entry, found)}`;
    all.fill(about, { ...entry, ...found });
    await show(
      found.data.sort((a, b) => (a.status > b.status) - (a.status < b.status)).flatMap(({ affected, slug, status, suppressed }) =>
        [...affected, ...suppressed].map(one => {
          const { digest, version = status === "affected" ? "none yet" : "not known" } = one.fixedIn ?? {};
          const packages = one.packages?.map(distinct) ?? [{ ...one, installed: "", fixed: one.status?.replaceAll("_", " ") }];
          return { ...row(slug, one.version, one.reportedAs ?? found.id), packages, digest, without: one.packages ? version : "suppressed" };
        }),
      ),
      ["affected", "fixed", "unknown"].map(wanted => new Set(found.data.filter(({ status }) => status === wanted))),
    );
    for (const { slug, href } of found.charts) {
      const chart = anchor(slug, link(href));
      charts.append(charts.childNodes.length ? ", " : "Charts that install it: ", chart);
      itemAt(href).then(item => item?.url && (chart.href = link(item.url)));
    }
  } catch {
    summary.textContent = "The lookup failed. Try again.";
  }
};
