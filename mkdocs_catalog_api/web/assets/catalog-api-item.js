// The page of an image or a chart: quick start and comparison.

const lists = (before, after, { gone, grouped, lines, make, vulnerabilities }) => {
  const missing = [before, after].filter(one => !one.scanned).map(one => one.version);
  if (missing[0]) return [`${missing.join(" and ")} not scanned, so they can't be compared.`];
  const added = gone(after, before);
  const groups = [[gone(before, after), "gone"], [after.cves.filter(row => !added.includes(row)), "in both"], [added, "new"]];
  const parts = groups.map(([rows, words]) => {
    const part = make("details", "catalog-more");
    const list = make("ul");
    for (const { id, packages, severity } of grouped(rows)) {
      const line = make("li");
      const box = make("div", "catalog-lines");
      const word = severity.toLowerCase();
      box.append(...lines(packages));
      line.append(make("span", `catalog-severity catalog-fill-${word}`, word), make("b", "", id), box);
      list.append(line);
    }
    part.open = words !== "in both";
    part.append(make("summary", "", `${vulnerabilities(rows)} ${words}`), list);
    return part;
  });
  const alike = before.scanner === after.scanner && before.grade && after.grade;
  const doubt = "These scans are incomplete or from different scanners, so some differences may not be real.";
  return alike ? parts : [...parts, make("p", "catalog-quiet", doubt)];
};

// The URL has both versions: `?compare=17.5..18.0`.
const compare = async (box, tools) => {
  const { asked, listen, load, $, $$ } = tools;
  const options = $$(document, ".catalog-release option");
  const selects = $$(box, "select");
  const result = $(box, "div");
  if (!selects[1].options[1]) {
    for (const { dataset } of options) for (const select of selects) select.insertBefore(new Option(dataset.version), $(select, "optgroup"));
    listen(selects, "change", () => {
      const address = new URL(location);
      address.searchParams.set("compare", selects.map(select => select.value).join(".."));
      history.replaceState(history.state, "", address);
      compare(box, tools);
    });
  }
  const labels = asked("compare") ? asked("compare").split("..") : ["", options[0].dataset.version];
  selects.forEach((select, index) => (select.value = labels[index] ?? ""));
  const { answer, update } = selects[0].selectedOptions[0]?.dataset ?? {};
  selects[1].disabled = !!answer;
  if (answer) selects[1].value = update;
  const addresses = selects.map(select => options.find(({ dataset }) => dataset.version === select.value)?.value);
  result.textContent = answer;
  if (!addresses[0] || !addresses[1]) return;
  try {
    result.replaceChildren(...lists(...(await Promise.all(addresses.map(load))), tools));
  } catch {
    result.textContent = "The comparison failed. Try again.";
  }
};

// Digests come from the table of releases.
const start = (box, { listen, $, $$ }) => {
  if ("ready" in box.dataset) return;
  box.dataset.ready = "";
  const [version, platform] = ["version", "platform"].map(name => $(box, `[name=${name}]`));
  const rows = new Map($$(document, "tr[data-version]").map(row => [row.dataset.version, $$(row, ".catalog-digest code")]));
  const { image } = box.dataset;
  for (const label of rows.keys()) if (version && label !== box.dataset.version) version.append(new Option(label));
  listen($$(box, "select"), "change", () => {
    const label = version?.value ?? box.dataset.version;
    if (!rows.has(label)) return; // the page has no table of releases
    const codes = rows.get(label);
    const code = codes[1] ? codes.find(one => one.dataset.platform === platform?.value) : codes[0];
    const digest = code ? `@${code.textContent}` : "";
    const flag = !codes[1] && platform?.value ? `--platform=${platform.value} ` : "";
    const parts = { version: label, flag, tagged: `${image}:${label}${digest}`, plain: image + (digest || `:${label.replace("+", "_")}`) };
    for (const part of $$(box, "[data-part]")) part.textContent = parts[part.dataset.part];
  });
};

export const item = (root, tools) => {
  for (const box of tools.$$(root, ".catalog-start")) start(box, tools);
  for (const box of tools.$$(root, ".catalog-compare")) compare(box, tools);
};
