// What is loaded when somebody compares two versions: the vulnerabilities that go, stay and come, by id and package.
const byKey = ({ cves }) => new Map(cves.map(row => [`${row.id} ${row.pkg}`, row]));
const some = (rows, other, there) => [...rows].filter(([key]) => other.has(key) === there).map(([, row]) => row);

const lists = (before, after, make) => {
  const missing = [before, after].filter(one => !one.scanned).map(one => one.version);
  if (missing[0]) return [`${missing.join(" and ")} not scanned, so they can't be compared.`];
  const [old, now] = [byKey(before), byKey(after)];
  const groups = [[some(old, now, false), "gone"], [some(now, old, true), "in both"], [some(now, old, false), "new"]];
  const parts = groups.map(([rows, words]) => {
    const part = make("details", "catalog-more");
    const list = make("ul");
    for (const row of rows) {
      const line = make("li");
      const word = row.severity.toLowerCase();
      line.append(make("span", `catalog-severity catalog-fill-${word}`, word), make("b", "", row.id), `${row.pkg} ${row.installed}`);
      list.append(line);
    }
    part.open = words !== "in both";
    part.append(make("summary", "", `${rows.length} ${words}`), list);
    return part;
  });
  const alike = before.scanner === after.scanner && before.grade && after.grade;
  const doubt = "The scans are of different scanners or prove little, so not all of this has changed.";
  return alike ? parts : [...parts, make("p", "catalog-quiet", doubt)];
};

export const compare = async (result, addresses, { load, make }) => {
  try {
    result.replaceChildren(...lists(...(await Promise.all(addresses.map(load))), make));
  } catch {
    result.textContent = "They can't be compared: try again.";
  }
};
