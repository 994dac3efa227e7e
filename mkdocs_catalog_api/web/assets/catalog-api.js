// Search, sort and copy on pages; without this script, all data is on linked pages.
(() => {
  "use strict";

  // Instant navigation runs it again on each page.
  if (globalThis.catalogApi) return;
  const WORDS = "critical high medium low unknown".split(" ");
  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  const documents = new Map();
  const load = address => {
    const key = new URL(address, location).href;
    if (!documents.has(key)) {
      const found = fetch(key).then(got => {
        if (!got.ok) throw got;
        return got.json();
      });
      found.catch(() => documents.delete(key));
      documents.set(key, found);
    }
    return documents.get(key);
  };
  const $ = (root, selector) => root?.querySelector(selector);
  const $$ = (root, selector) => [...(root?.querySelectorAll(selector) ?? [])];
  const asked = name => new URLSearchParams(location.search).get(name) ?? "";
  // As pages write it: `2 214`
  const thousands = count => String(count).replace(/\B(?=(\d{3})+$)/g, "\u202f");
  const many = (count, noun) => `${thousands(count)} ${count === 1 ? noun : noun.replace(/(?<!a)y$/, "ie") + "s"}`;
  const make = (tag, className, textContent = "") => Object.assign(document.createElement(tag), { className, textContent });
  const anchor = (text, href) => Object.assign(make("a", "", text), { href });
  const action = (className, text, react) => {
    const button = Object.assign(make("button", className, text), { type: "button" });
    listen([button], "click", react);
    return button;
  };
  const visit = (address, how = "pushState") => history[how](history.state, "", address);
  const empty = value => (value ?? "") === "";
  const listen = (elements, kind, react) => elements.forEach(element => element.addEventListener(kind, react));
  // Where the page is, or was: what it began may end after another one is loaded.
  let known;
  const place = () => (known = $(document, "[data-mount]")?.dataset ?? known);
  // A relative address, in the language of this page.
  const link = href => {
    const { root, mount, language = "", only = "" } = place();
    const path = href.slice(mount.length + 1);
    const [page] = path.split(/[?#]/);
    const translated = /(^|\/|\.html)$/.test(page) && !only.split(" ").includes(page);
    return root + (translated ? language : "") + path || "./";
  };
  const itemAt = async href => {
    const { data } = await load(link(href).replace(/[^/]*\/index.json$/, "index.json"));
    return data.find(item => item.href === href);
  };
  let memory = {};
  try {
    memory = sessionStorage;
  } catch {
    // storage is blocked
  }

  // Ages by the reader's clock, or by `catalogNow`.
  const clock = () => Date.parse(globalThis.catalogNow) || Date.now();
  const days = time => (clock() - Date.parse(time)) / 864e5;
  const chip = (mark, text) => make("span", `catalog-chip catalog-chip-bad catalog-${mark}`, text);
  const fade = element => element.closest("tr")?.classList.add("catalog-past");
  const maxAge = element => Number(element.closest("[data-max-age]")?.dataset.maxAge ?? 30);
  const ago = past => ["today", "yesterday"][past] ?? `${past} days ago`;
  const times = root => {
    for (const element of $$(root, "time[data-age]")) {
      const past = Math.floor(days(element.dateTime));
      if (!(past >= 0)) continue;
      const { age } = element.dataset;
      element.textContent = `${age === "," ? ", " : ""}scanned ${ago(past)}`;
      element.title = element.dateTime;
      element.hidden = false;
      const stale = past > maxAge(element);
      if (age) {
        element.classList.toggle("catalog-old", stale);
        continue;
      }
      if (!stale) continue;
      element.append(" ", chip("stale", "stale"));
      fade(element);
    }
    for (const element of $$(root, "time[data-ends]"))
      if (days(element.dateTime) >= 1) {
        element.replaceChildren(chip("ended", "support ended"), " " + element.dateTime);
        element.hidden = false;
        fade(element);
      }
  };
  const today = path => {
    const [now, from, to] = [clock(), ...Object.values(path.closest("ul").dataset).map(Date.parse)];
    const x = (1000 * (now - from)) / (to - from);
    path.setAttribute("d", x > 0 && x < 1000 ? `M${x} -9V33` : "");
  };
  const old = (all, limit) => {
    const count = all.filter(time => Math.floor(days(time)) > limit).length;
    return [count, `${count === all.length ? "All" : `${thousands(count)} of`} ${thousands(all.length)} scans are older than ${limit} days`];
  };
  // If most of a list is stale, a banner replaces the chips.
  const warn = () => {
    const list = lists.find(({ facts }) => facts.size > 1);
    const all = [...(list?.facts.values() ?? [])].map(([scanned]) => scanned).filter(Boolean).sort();
    const [count, text] = old(all, list && maxAge(list.root));
    const most = count > all.length / 2;
    document.body.classList.toggle("catalog-mostly-stale", most);
    if (!most) return;
    const banner = make("p", "catalog-warning catalog-warned");
    banner.append(make("b", "", `${text}.`), ` The newest is from ${all.at(-1).slice(0, 10)}; each grade is as of its scan.`);
    list.root.before(banner);
  };
  const stamps = item => ([, item.textContent] = old(item.dataset.scans.split(" "), maxAge(item)));
  // The answer changes with the reader's day.
  const answer = box => {
    const [ends, scan] = ["until", "when"].map(name => $(box, `[data-${name}]`));
    const left = ends && -days(ends.dateTime);
    const ended = left <= -1;
    const long = left > 730 ? `${Math.floor(left / 365.25)} years` : many(Math.ceil(left), "day");
    const age = scan && Math.floor(days(scan.dateTime));
    const stale = age > maxAge(box);
    if (ends) ends.textContent = ended ? `Support ended on ${ends.dateTime}` : `Supported until ${ends.dateTime} (${long})`;
    if (scan && age >= 0) scan.textContent = `Scanned ${ago(age)}${stale ? " (stale)" : ""}`;
    const headline = (ended && box.dataset.ended) || (stale && box.dataset.stale);
    if (headline) {
      $(box, "b").textContent = headline;
      box.className = `catalog-answer catalog-state-${ended ? "bad" : "fair"}`;
    }
    box.classList.toggle("catalog-old", stale);
    box.classList.toggle("catalog-past", ended || stale);
  };
  // The rows of a vulnerability (of a release) as one row.
  const grouped = rows => {
    const groups = new Map();
    for (const row of rows) {
      const key = `${row.id} ${row.slug} ${row.version}`;
      groups.set(key, [...(groups.get(key) ?? []), row]);
    }
    return [...groups.values()].map(packages => ({ ...packages[0], packages, targets: packages.flatMap(({ targets }) => targets) }));
  };
  const lines = packages =>
    packages.map(({ fixed, installed, pkg }) => {
      const line = make("span");
      for (const text of [pkg, installed, fixed || "no fix yet"]) line.append(make("span", "", text), " ");
      return line;
    });
  // The rows of a release that another does not have.
  const gone = (before, after) => {
    // A package is its URL without a version and a distribution; a vulnerability has several ids.
    const keys = ({ aliases, id, pkg, purl }) => {
      const name = purl.replace(/@[^@]*$/, "").replace(/^(pkg:(apk|deb|rpm)\/).*\//, "$1") || pkg;
      return [id, ...aliases].map(one => `${one} ${name}`);
    };
    const there = new Set(after.cves.flatMap(keys));
    return before.cves.filter(row => !keys(row).some(key => there.has(key)));
  };
  // The packages of a release, the vulnerable ones first; each platform names its own.
  const contents = async ({ href, sbom }) => {
    const [{ components }, { cves }] = await Promise.all([load(sbom), load(href)]);
    const key = (name, version = "") => `${name} ${version.replace(/^(0:|go|v)/, "")}`;
    const found = new Map();
    for (const { licenses = [], name, purl, type, version } of components)
      if (type === "library")
        found.set(key(name, version), { name, version, licenses: licenses.map(({ license }) => license.name), ids: [], package: purl ? `${purl.split(/[:/]/)[1]}/${name}` : name });
    for (const { id, installed, pkg } of cves ?? []) found.get(key(pkg, installed))?.ids.push(id);
    return [...found.values()].sort((a, b) => !a.ids[0] - !b.ids[0] || collator.compare(a.name, b.name));
  };
  // Rows or figures: `2 critical, 3 high`
  const bySeverity = rows =>
    WORDS.map(word => [rows.filter?.(({ severity }) => severity.toLowerCase() === word).length ?? rows[word], word])
      .filter(([count]) => count)
      .map(([count, word]) => `${thousands(count)} ${word}`)
      .join(", ");
  // `47 vulnerabilities (20 ids)`
  const vulnerabilities = (rows, ids = grouped(rows)) => many(rows.length, "vulnerability") + (ids.length < rows.length ? ` (${many(ids.length, "id")})` : "");

  // Fills an element of a row; the guide explains the attributes.
  const fill = (element, value) => {
    const { f, to, chip, name, none = "–", class: kind, finder } = element.dataset;
    if (name) element.ariaLabel = name.replace(/{(\w+)}/, (_, field) => value(field));
    const found = value(f);
    if (f === "packages") return element.replaceChildren(...lines(found));
    if (finder && found[0]) return element.replaceChildren(...found.flatMap(id => [Object.assign(make("a", "catalog-whole", id), { href: `${finder}?id=${id}` }), " "]));
    const missing = found === false || ![found].flat().join("");
    if (kind) element.className = kind + String(found).toLowerCase().replace("+", "-plus").replace(" ", "-");
    if (element.tagName === "TIME") {
      element.dateTime = found ?? "";
      element.textContent = "";
    } else if (chip) {
      element.hidden = !found || found === "available";
      element.textContent = chip.replace("{}", found);
    } else if (f) {
      element.textContent = missing ? none : found === true ? "yes" : element.matches(".catalog-number") ? thousands(found) : [found].flat().join(", ");
      element.toggleAttribute("data-empty", missing || found === 0);
    }
    if (to) {
      const [field] = to.match(/(?<={)[\w.]+/);
      const address = value(field);
      const set = target => (target ? (element.href = target) : element.removeAttribute("href"));
      element.hidden = !f && empty(address);
      set(to === `{${field}}` ? address : to.replace(`{${field}}`, encodeURIComponent(address)));
      if (field === "page" && !address && value("href"))
        itemAt(value("href")).then(item => item?.url && set(link(item.url)));
    }
  };

  // As the macro `logo` writes it.
  const logo = (tile, { slug, name, logo }, icons = "") => {
    const picture = logo?.[0] === "/";
    const [first, second] = (name.match(/[\p{L}\p{N}]+/gu) ?? [name]).map(word => [...word]);
    tile.dataset.logo = (second ? first[0] + second[0] : first.slice(0, 2).join("")).toLowerCase();
    tile.className = `catalog-logo catalog-hue-${[...slug].reduce((sum, sign) => sum + sign.codePointAt(0), 0) % 8}`;
    const icon = `${place().root}assets/catalog-api-logos.svg#${slug}`;
    const drawn = icons.split(" ").includes(slug) ? `<svg viewBox="0 0 24 24"><use xlink:href="${icon}"/></svg>` : "";
    tile.innerHTML = picture ? '<img alt="">' : drawn;
    if (picture) tile.firstChild.src = link(logo);
  };

  const looked = security => security.scanned || security.pinsScanned;
  const verdict = security => {
    const { grade, total, version } = security;
    if (total) return "";
    if (!looked(security)) return "Not scanned";
    return grade ? `No known vulnerabilities${version ? ` in ${version}` : ""}` : "None found, not graded";
  };
  const size = bytes => {
    let unit = 0;
    for (; bytes >= 999.95; unit++) bytes /= 1000;
    return unit ? `${bytes.toFixed(1)} ${" kMGT"[unit]}B` : `${bytes} B`;
  };
  // As the filter `segments` draws them.
  const rects = (figures, most) => {
    let x = 0;
    const rect = word => {
      const width = figures[word] * Math.max(100 / most, 2 / figures.total);
      return `<rect class="catalog-fill-${word}" x="${(x += width) - width}" width="${width}" height="8"/>`;
    };
    return WORDS.filter(word => figures[word]).map(rect).join("");
  };
  const without = (state, name) => new Map([...state].filter(([key]) => key !== name));

  let searching;
  const searcher = () => (searching ??= import("./catalog-api-search.js"));

  const announcer = make("div", "catalog-sr");
  announcer.role = "status";
  const copy = async ({ target }) => {
    // empty: copy the URL of the page
    const { copy: text } = target.dataset;
    target.dataset.label ??= target.textContent;
    let done = "Copied";
    try {
      await navigator.clipboard.writeText((text ?? target.previousElementSibling.textContent) || location.href);
    } catch {
      // without HTTPS, only a selection is possible
      if (text !== "") getSelection().selectAllChildren(target.previousElementSibling);
      done = text === "" ? "Copy the URL" : "Selected";
    }
    target.textContent = announcer.textContent = done;
    setTimeout(() => (target.textContent = target.dataset.label), 1500);
  };

  // A list: its state is in the URL, its rows are loaded on the first input.
  const lists = [];
  globalThis.catalogApi = { $, $$, action, anchor, asked, bySeverity, days, itemAt, link, lists, load, make, many, verdict };
  class List {
    constructor(root, prefix) {
      this.root = root;
      this.data = root.dataset;
      this.prefix = prefix;
      const form = $$(root, "form");
      [this.form] = form;
      this.fields = [...(this.form?.elements ?? [])].filter(field => field.name);
      this.boxes = this.fields.filter(({ type }) => type === "checkbox");
      this.table = $(root, "table");
      this.headings = [...this.table.tHead.rows[0].cells].filter(heading => heading.dataset.key);
      [this.body] = this.table.tBodies;
      this.size = Number(root.dataset.size);
      this.sample = ($(root, "template")?.content ?? this.body).querySelector("tr").cloneNode(true);
      this.first = [...this.body.rows];
      this.pristine = true;
      this.base = Object.entries(JSON.parse(root.dataset.base ?? "{}"));
      this.paths = JSON.parse(root.dataset.paths ?? "{}");
      this.facts = new Map((root.dataset.facts ?? "").split(";").map(fact => [fact.split("=")[0], fact.split("=").slice(1)]));
      this.available = "available" in this.data;
      this.other = "sbom" in this.data;
      this.texts = new WeakMap();
      listen(form, "input", event => this.changed(event.target.type === "search"));
      this.fold = $(root, ".catalog-fold");
      listen($$(root, ".catalog-fold"), "click", () => (this.fold.ariaExpanded = this.fold.ariaExpanded !== "true"));
      // Enter opens the answer, or the only row.
      listen(form, "submit", event => {
        event.preventDefault();
        const [row, other] = $$(this.body, "th a[href]");
        ($(root, ".catalog-result a") ?? (other ? null : row))?.click();
      });
      // Arrows go from the search box to the rows.
      listen([root], "keydown", event => {
        const stops = [this.fields[0], ...$$(this.body, "th a[href]")];
        const next = stops[stops.indexOf(event.target) + { ArrowDown: 1, ArrowUp: -1 }[event.key]];
        if (!next || !stops.includes(event.target)) return;
        event.preventDefault();
        next.focus();
      });
      for (const kind of ["pointerover", "focusin"])
        listen(form, kind, () => (this.counted ??= this.rows().then(rows => this.count(rows, this.state()))));
      listen(this.fields.slice(0, 1), "focus", () => this.prepare(" ").catch(() => {}));
      listen($$(root, "[data-clear]"), "click", () => this.clear());
      listen($$(root, ".catalog-next"), "click", ({ target }) => {
        this.limit += "all" in target.dataset ? Infinity : this.size;
        this.render(true);
      });
      this.headings.forEach(heading => this.sortable(heading));
      this.views = $$(root, "button[data-view]");
      listen(this.views, "click", event => {
        this.view = event.target.dataset.view;
        this.changed();
      });
      this.sorts = $(root, ".catalog-sort");
      listen($$(root, ".catalog-sort"), "input", event => {
        event.stopPropagation();
        this.sort = this.sorts.value;
        this.changed();
      });
      this.restore();
    }
    sortable(heading) {
      const button = make("button", "", heading.textContent);
      listen([button], "click", () => {
        const name = heading.dataset.key.split(".").pop();
        const down = heading.classList.contains("catalog-number") || name === "score" ? "-" : "";
        this.sort = this.sort === down + name ? (down ? "" : "-") + name : down + name;
        this.changed();
      });
      heading.replaceChildren(button);
    }
    heading(name) {
      return this.headings.find(heading => heading.dataset.key.split(".").pop() === name);
    }
    restore() {
      for (const field of this.fields) {
        const text = asked(this.prefix + field.name);
        if (field.type === "search") field.value = text;
        else field.checked = text.split(",").map(value => value.replace(/%2c/gi, ",").replace(/%25/g, "%")).includes(field.value);
      }
      this.sort = asked(this.prefix + "sort");
      this.view = asked(this.prefix + "view");
      this.limit = this.size;
      return this.show();
    }
    state() {
      const found = new Map();
      for (const [name, value] of this.form ? new FormData(this.form) : [])
        if (value) found.set(name, [...(found.get(name) ?? []), value]);
      return found;
    }
    changed(typing) {
      // Material loads another page, whose address this would be
      if (location.pathname !== here) return;
      const address = new URL(location);
      const query = address.searchParams;
      for (const name of [...this.fields.map(field => field.name), "sort", "view"]) query.delete(this.prefix + name);
      for (const [name, values] of this.state())
        query.set(this.prefix + name, name === "find" ? values[0] : values.map(value => value.replace(/[%,]/g, encodeURIComponent)).join(","));
      for (const name of ["sort", "view"]) if (this[name]) query.set(this.prefix + name, this[name]);
      address.search = query.toString().replaceAll("%2C", ",");
      if (address.href !== location.href) visit(address, typing ? "replaceState" : "pushState");
      this.limit = this.size;
      this.show();
    }
    clear(fields = this.fields) {
      for (const field of fields)
        if (field.type === "checkbox") field.checked = false;
        else field.value = "";
      this.changed();
      ($(this.form, ".catalog-active button") ?? this.fields[0]).focus();
    }
    label(field) {
      if (field.type === "search") return `“${field.value}”`;
      const { ariaLabel, children } = field.closest("[role=group]");
      const text = field.nextElementSibling.textContent;
      return children[1] ? `${ariaLabel}: ${text}` : text;
    }
    async rows() {
      const { source, key = "data", limit, sbom } = this.data;
      if (sbom) return contents(this.data);
      let rows = (await load(source))[key] ?? [];
      for (const [name, wanted] of this.base) rows = rows.filter(item => [item[name] ?? item.custom?.[name]].flat().map(String).includes(wanted));
      return limit ? rows.slice(0, limit) : rows;
    }
    show() {
      const view = this.view || this.data.view;
      this.table.classList.toggle("catalog-cards", view === "cards");
      for (const button of this.views) button.setAttribute("aria-pressed", button.dataset.view === view);
      for (const heading of this.headings) heading.removeAttribute("aria-sort");
      this.heading(this.sort.replace("-", ""))?.setAttribute("aria-sort", this.sort[0] === "-" ? "descending" : "ascending");
      if (this.sorts) {
        this.sorts.value = this.sort;
        const [home] = this.sorts.options;
        this.home ??= home.text;
        if (this.sorts.selectedIndex < 0) this.sorts.value = "";
        const heading = !this.sorts.selectedIndex && this.sort && this.heading(this.sort.replace("-", ""));
        home.text = heading ? `Sorted by ${heading.textContent.toLowerCase()}` : this.home;
      }
      const chosen = this.boxes.filter(({ checked }) => checked);
      for (const box of chosen)
        for (let part = box; (part = part.parentElement.closest("details")); ) part.open = true;
      const chips = chosen.map(box => {
        const chip = action("catalog-remove", this.label(box), () => this.clear([box]));
        chip.ariaLabel = `Remove ${chip.textContent}`;
        return chip;
      });
      $(this.form, ".catalog-active")?.replaceChildren(...chips);
      const { size } = this.state();
      $(this.form, "[data-clear]")?.toggleAttribute("hidden", !size);
      memory[`catalog-${location.pathname}`] = location.search;
      if (size || this.sort || !this.pristine) return this.render();
    }
    async render(grown) {
      const turn = (this.turn = (this.turn ?? 0) + 1);
      const [text] = this.state().get("find") ?? [""];
      let rows, having;
      try {
        const ready = this.prepare(text);
        rows = await this.rows();
        if (this.search || text.length > 3) having = await ready;
        else ready.then(() => text && turn === this.turn && this.render()).catch(() => {});
      } catch {
        this.announce("The list could not be loaded. Try again.");
        return;
      }
      if (turn !== this.turn) return;
      this.having = having;
      const state = this.state();
      const found = rows.filter(item => this.wanted(item, state));
      this.none(found[0] ? [] : rows, state);
      setTimeout(() => turn === this.turn && this.answer(text, turn));
      setTimeout(() => turn === this.turn && this.count(rows, state), 200);
      const sort = this.sort || this.data.sort;
      if (sort) this.order(found, sort);
      if (text && !this.sort) this.rank(found, text.trim().toLowerCase());
      const items = this.data.key ? grouped(found) : found;
      this.limit = Math.max(this.limit, items.findIndex(({ id }) => id === sought) + 1);
      const shown = Math.min(items.length, this.limit);
      this.pristine = !state.size && !this.sort && this.limit === this.size && !this.other;
      if (this.pristine) this.body.replaceChildren(...this.first);
      else {
        let start = grown ? this.body.rows.length : 0;
        const add = () => {
          if (turn !== this.turn) return;
          const made = items.slice(start, Math.min((start += 12), shown)).map(item => this.row(item));
          this.body.append(...made);
          if (start < shown) requestAnimationFrame(() => setTimeout(add));
          else toRow();
          return made[0];
        };
        if (!grown) this.body.replaceChildren();
        const first = add();
        if (grown) $(first, "a")?.focus();
      }
      const more = shown < items.length;
      const all = many(found.length, (this.available && !state.has("lifecycle") ? "available " : "") + this.data.noun);
      this.announce(this.data.key ? vulnerabilities(found, items) + (more ? `, ${shown} ids shown` : "") : more ? `${thousands(shown)} of ${all}` : all);
      this.table.closest(".catalog-scroll").hidden = !shown;
      for (const [name, hidden] of [["none", shown], ["next", !more], ["pages", !this.pristine]])
        $$(this.root, `.catalog-${name}`).forEach(part => (part.hidden = hidden));
    }
    announce(text) {
      for (const output of $$(this.root, "output")) output.textContent = text;
    }
    count(rows, state) {
      for (const name of new Set(this.boxes.map(box => box.name))) {
        const [others, counts] = [without(state, name), {}];
        for (const item of rows)
          if (this.wanted(item, others, name === "lifecycle"))
            for (const value of this.has(item, name, others)) counts[value] = (counts[value] ?? 0) + 1;
        for (const box of this.boxes) if (box.name === name) $(box.parentElement, "small").textContent = thousands(counts[box.value] ?? 0);
      }
    }
    none(rows, state) {
      const buttons = [...state.keys()].flatMap(name => {
        const left = rows.filter(item => this.wanted(item, without(state, name))).length;
        const fields = this.fields.filter(field => field.name === name && (field.checked || field.type === "search"));
        const text = fields.map(field => this.label(field)).join(", ");
        return left ? action("", `Remove ${text}: ${many(left, this.data.noun)}`, () => this.clear(fields)) : [];
      });
      $(this.root, ".catalog-none")?.replaceChildren(make("b", "", `No ${this.data.noun} matches.`), ...buttons);
    }
    async prepare(text) {
      if (!text || !this.data.search) return;
      this.searching ??= searcher().then(({ search }) => search(this));
      return (await this.searching).prepare(text);
    }
    async answer(text, turn) {
      const box = $(this.form, ".catalog-result");
      if (!box) return;
      let parts;
      try {
        parts = text && this.search ? await this.search.explain(text) : [];
      } catch {
        parts = ["The lookup failed. Try again."];
      }
      if (turn !== this.turn) return;
      box.className = `catalog-result${parts.state ? ` catalog-answer catalog-state-${parts.state}` : ""}`;
      box.replaceChildren(...parts);
    }
    text(item) {
      if (!this.texts.has(item)) {
        const words = Object.values({ ...item, ...item.custom }).flat().filter(value => typeof value === "string" && !value.startsWith("/"));
        this.texts.set(item, [...words, ...(this.search?.words(item) ?? [])].join(" ").toLowerCase());
      }
      return this.texts.get(item);
    }
    wanted(item, state, any) {
      if (this.available && !any && !state.has("lifecycle") && item.lifecycle !== "available") return false;
      return [...state].every(([name, values]) => {
        if (name !== "find") return this.has(item, name, state).some(one => values.includes(one));
        if (this.having?.has(item.slug)) return true;
        values.words ??= this.search?.terms(values[0]) ?? values[0].toLowerCase().split(/\s+/);
        return values.words.every(word => this.text(item).includes(word));
      });
    }
    // Values for a filter; with `fix=yes`, only severities that have a fix.
    has(item, name, state) {
      const { security } = item;
      const [scanned, fixed] = this.facts.get(item.slug) ?? [];
      const fixable = word => fixed === undefined || fixed.includes(word[0]);
      if (name === "severity") {
        if (!security) return [item.severity.toLowerCase()];
        if (security.total === 0 && security.grade) return ["none"];
        return WORDS.filter(word => security[word] && (!state.has("fix") || fixable(word)));
      }
      if (name === "scanned") return !security.scanned ? ["never"] : days(scanned) <= 7 ? ["7", "30"] : days(scanned) <= 30 ? ["30"] : ["-30"];
      if (name === "exploited") return empty(item.exploitedSince) ? [] : ["yes"];
      if (name === "fix") {
        const any = item.fixed ?? security?.fixable;
        return any && (state.get("severity")?.some(fixable) ?? true) ? ["yes"] : [];
      }
      if (name === "lifecycle") return [item.lifecycle, ...(days(this.value(item, "ends")) >= 1 ? ["ended"] : [])];
      return [...new Set([this.value(item, this.paths[name] ?? name) ?? []].flat().map(String))];
    }
    value(item, path) {
      const { security } = item;
      if (path === "grade") return security.grade ?? (looked(security) ? "not graded" : "not scanned");
      if (path === "verdict") return verdict(security);
      if (path === "pinned") return `${security.pinsScanned} of ${security.pins}`;
      if (path === "build") {
        const bytes = this.value(item, "size");
        const names = item.platforms.map(platform => platform.replace("linux/", ""));
        return [bytes ? size(bytes) : [], names[2] ? `${names.length} platforms` : names].flat().join(" · ");
      }
      if (path === "scannedAt") return this.facts.get(item.slug)?.[0];
      if (path === "places") return [...new Set(item.targets.map(target => target.replace(/^.+ \((.+)\)$/, "$1")))];
      if (path === "size") return item.size ?? item.versions?.[0]?.size;
      if (path === "released") return this.facts.get(item.slug)?.[2] ?? item.versions?.[0]?.released;
      if (path === "ends") return this.facts.get(item.slug)?.[3] ?? item.endOfLife ?? item.versions?.[0]?.endOfLife;
      if (path === "page") return item.url ? link(item.url) : item.homepage;
      if (path === "document") return item.href && link(item.href);
      return path?.split(".").reduce((value, name) => value?.[name], item);
    }
    order(found, sort) {
      const name = sort.replace("-", "");
      const path = this.heading(name)?.dataset.key ?? name;
      const value = item => {
        if (name === "severity") return WORDS.indexOf(item.severity.toLowerCase());
        if (name === "risk") return item.security.total === null ? null : WORDS.reduce((sum, word) => sum * 1e4 + item.security[word], 0);
        return this.value(item, path);
      };
      const keys = new Map(found.map(item => [item, value(item)]));
      const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : collator.compare(a, b));
      const way = sort[0] === "-" ? -1 : 1;
      found.sort((one, other) => {
        const [a, b] = [keys.get(one), keys.get(other)];
        return empty(a) - empty(b) || (empty(a) ? 0 : way * compare(a, b));
      });
    }
    // The names that are the text come first, then those that begin with it.
    rank(found, text) {
      const place = item => {
        const names = [item.name, item.slug, item.id, item.application].map(name => name?.toLowerCase());
        return names.includes(text) ? 0 : names.some(name => name?.startsWith(text)) ? 1 : 2;
      };
      const places = new Map(found.map(item => [item, place(item)]));
      found.sort((one, other) => places.get(one) - places.get(other));
    }
    row(item) {
      const row = this.sample.cloneNode(true);
      if (row.id) row.id = item.id;
      this.fill(row, item);
      times(row);
      return row;
    }
    fill(row, item) {
      for (const element of $$(row, "[data-f],[data-to]")) fill(element, path => this.value(item, path));
      for (const bar of $$(row, ".catalog-bar")) bar.innerHTML = rects(item.security, this.data.most);
      for (const tile of $$(row, "[data-logo]")) logo(tile, item, this.data.icons);
    }
  }

  // One version for the page of an item and its address: its answer, commands and vulnerabilities.
  const item = () => {
    const card = $(document, ".catalog-card");
    const versions = new Map($$(card, "template").map(each => [each.dataset.version, each]));
    const { image, version: newest } = card?.dataset ?? {};
    const [select, platform] = ["version", "platform"].map(name => $(card, `[name=${name}]`));
    const list = lists.find(({ data }) => data.key === "cves");
    const inside = lists.find(({ data }) => data.list === "packages");
    const apply = () => {
      const label = versions.has(asked("release")) ? asked("release") : newest;
      if (!versions.has(label)) return;
      const { content, dataset } = versions.get(label);
      if (content.firstElementChild) {
        $(card, ".catalog-answer").replaceWith(content.cloneNode(true));
        answer($(card, ".catalog-answer"));
      }
      if (select) select.value = label;
      const digests = JSON.parse(dataset.digests);
      const found = digests[""] ?? digests[platform?.value];
      const digest = found ? `@${found}` : "";
      const flag = (digests[""] || !found) && platform?.value ? `--platform=${platform.value} ` : "";
      const parts = { version: label, flag, tagged: `${image}:${label}${digest}`, plain: image + (digest || `:${label.replace("+", "_")}`) };
      for (const part of $$(document, "[data-part]")) part.textContent = parts[part.dataset.part];
      if (inside) {
        const { href, sbom = "" } = dataset;
        for (const part of $$(document, "[data-inside]")) part.hidden = !sbom === !part.dataset.inside;
        Object.assign(inside.data, { href, sbom });
        $(document, "a[data-inside]").href = sbom;
        if (sbom && inside.root.open) inside.render();
      }
      const shown = $(document, ".catalog-shown");
      if (!shown || !list) return;
      shown.textContent = label + ("scanned" in dataset ? "" : ", not scanned");
      $(document, ".catalog-newest")?.toggleAttribute("hidden", label !== newest);
      list.root.hidden = !("scanned" in dataset);
      $(list.root, ".catalog-scroll").ariaLabel = `Vulnerabilities of ${label}`;
      if (list.data.source === dataset.href) return;
      list.data.source = dataset.href;
      list.other = label !== newest;
      list.render();
    };
    const choose = () => {
      const address = new URL(location);
      address.hash = "";
      address.searchParams.delete("release");
      if (select.selectedIndex) address.searchParams.set("release", select.value);
      visit(address);
      again();
    };
    if (card && !("ready" in card.dataset)) {
      card.dataset.ready = "";
      for (const [field, react] of [[platform, apply], [select, choose]]) field?.addEventListener("change", react);
      if (inside?.state().size) inside.root.open = true;
      inside?.root.addEventListener("toggle", apply);
    }
    apply();
    $$(document, ".catalog-compare").forEach(compare);
  };
  const chooser = box => {
    const { choose } = box.dataset;
    const apply = () => {
      const { value } = $(box, ":checked");
      for (const part of $$(document, `[data-${choose}]`)) part.classList.toggle("catalog-other", part.dataset[choose] !== value);
    };
    listen([box], "change", apply);
    apply();
  };
  // Scrolls to the row of the address, once it is there.
  let sought = "";
  const toRow = () => {
    const row = sought && document.getElementById(sought);
    if (!row?.matches?.("tr")) return;
    sought = "";
    $(document, "tr[aria-current]")?.removeAttribute("aria-current");
    row.ariaCurrent = "true";
    row.scrollIntoView({ block: "center" });
  };
  const seek = () => {
    sought = decodeURIComponent(location.hash.slice(1));
    toRow();
    if (sought && !sought.startsWith("catalog-")) for (const list of lists) if (list.data.key === "cves") list.render();
  };

  const lookup = async root => {
    if (searching || ["id", "package", "h"].some(asked)) (await searcher()).lookup(root);
  };

  // What the update does, in words and as two bars to one scale.
  const effect = (before, after, [gone, both, added], from, to, verb) => {
    const worst = WORDS.find(word => before[word]);
    const all = before[worst];
    const less = gone.filter(({ severity }) => severity.toLowerCase() === worst).length;
    const words = less ? `${less === all ? "all" : `${thousands(less)} of`} ${many(all, `${worst} vulnerability`)}` : bySeverity(gone) || "nothing";
    const alike = before.scanner === after.scanner && before.grade && after.grade;
    const headline = `${verb} to ${after.version} removes ${words}${added[0] ? ` and adds ${bySeverity(added)}` : ""}.`;
    const doubt = "The scans are not alike, so differences may not be real.";
    const texts = [`${thousands(gone.length)} gone, ${thousands(both.length)} in both, ${thousands(added.length)} new.`];
    const larger = to.size - from.size;
    if (larger) texts.push(`The image becomes ${size(Math.abs(larger))} ${larger > 0 ? "larger" : "smaller"}.`);
    if (from.ends && to.ends && from.ends !== to.ends) texts.push(`The end of support moves from ${from.ends} to ${to.ends}.`);
    const card = make("div", "catalog-panel");
    const bars = make("ul", "catalog-bars");
    for (const record of [before, after]) {
      const row = make("li");
      row.innerHTML = `<b></b><svg class="catalog-bar" viewBox="0 0 100 8" preserveAspectRatio="none">${rects(record, Math.max(before.total, after.total))}</svg><span></span>`;
      row.firstChild.textContent = record.version;
      row.lastChild.textContent = [thousands(record.total), bySeverity(record)].filter(Boolean).join(" · ");
      bars.append(row);
    }
    card.append(make("b", "", alike ? headline : doubt), make("p", "catalog-quiet", texts.join(" ")), bars);
    return card;
  };
  const differences = (before, after, ...more) => {
    const missing = [before, after].filter(one => !one.scanned).map(one => one.version);
    if (missing[0]) return [`${missing.join(" and ")} not scanned, so they can't be compared.`];
    const added = gone(after, before);
    const groups = [gone(before, after), after.cves.filter(row => !added.includes(row)), added];
    const parts = groups.map((rows, position) => {
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
      part.open = position !== 1;
      part.append(make("summary", "", `${vulnerabilities(rows)} ${["gone", "in both", "new"][position]}`), list);
      return part;
    });
    return [effect(before, after, groups, ...more), ...parts];
  };

  // The URL has both versions: `?compare=17.5..18.0`.
  const compare = async box => {
    const versions = $$(document, ".catalog-card template").map(each => each.dataset);
    const selects = $$(box, "select");
    const result = $(box, "div");
    if (!selects[1].options[1]) {
      for (const each of versions) for (const select of selects) select.insertBefore(new Option(each.version), $(select, "optgroup"));
      listen(selects, "change", () => {
        const address = new URL(location);
        address.searchParams.set("compare", selects.map(select => select.value).join(".."));
        visit(address, "replaceState");
        compare(box);
      });
    }
    const labels = asked("compare") ? asked("compare").split("..") : [asked("release"), versions[0].version];
    selects.forEach((select, index) => (select.value = labels[index] ?? ""));
    const { answer, update } = selects[0].selectedOptions[0]?.dataset ?? {};
    selects[1].disabled = !!answer;
    if (answer) selects[1].value = update;
    const pair = selects.map(select => versions.find(each => each.version === select.value));
    result.textContent = answer;
    if (!pair[0] || !pair[1]) return;
    try {
      const verb = versions.indexOf(pair[1]) < versions.indexOf(pair[0]) ? "Updating" : "Going back";
      result.replaceChildren(...differences(...(await Promise.all(pair.map(({ href }) => load(href)))), ...pair, verb));
    } catch {
      result.textContent = "The comparison failed. Try again.";
    }
  };

  // A table that does not fit is stacked; else its headings stay visible.
  const fits = new ResizeObserver(seen => {
    for (const box of new Set(seen.map(({ target }) => target.closest(".catalog-scroll")))) {
      const wide = () => box.scrollWidth > box.clientWidth;
      const fit = box.closest(".catalog-fit")?.classList;
      fit?.remove("catalog-over");
      fit?.toggle("catalog-over", wide());
      box.classList.toggle("catalog-fits", !wide());
      // The parts of a package begin at one place in all rows.
      box.removeAttribute("style");
      const widths = [1, 2, 3].map(part => Math.max(...$$(box, `.catalog-lines > span > :nth-child(${part})`).map(({ offsetWidth }) => offsetWidth)));
      if (widths[0] > 0) box.style = widths.map((width, part) => `--w${part}: ${width + 1}px`).join(";");
    }
  });
  let here;
  const begin = () => {
    here = location.pathname;
    document.body.append(announcer);
    lists.splice(0, lists.length, ...lists.filter(list => list.root.isConnected));
    for (const root of $$(document, "[data-list]:not([data-ready])")) {
      root.dataset.ready = "";
      lists.push(new List(root, lists.some(one => one.form) ? `${root.dataset.list}.` : ""));
    }
    for (const root of $$(document, ".catalog:not([data-started])")) {
      root.dataset.started = "";
      times(root);
      $$(root, "[data-scans]").forEach(stamps);
      $$(root, "[data-today]").forEach(today);
      $$(root, ".catalog-answer").forEach(answer);
      $$(root, "[data-choose]").forEach(chooser);
      if (root.matches("[data-lookup]")) lookup(root);
      for (const element of $$(root, ".catalog-scroll, .catalog-scroll table")) fits.observe(element);
    }
    item();
    if (!$(document, ".catalog-warned")) warn();
    for (const back of $$(document, "a[data-back]")) back.search = memory[`catalog-${back.pathname}`] ?? "";
    seek();
  };
  const again = () => {
    // Material loads another page
    if (location.pathname !== here) return;
    for (const list of lists) list.restore();
    $$(document, "[data-lookup]").forEach(lookup);
    item();
    seek();
  };
  // Material follows no link to this page with another query.
  const follow = event => {
    const to = event.target.closest(".catalog a[href]");
    const modified = event.ctrlKey || event.metaKey || event.shiftKey;
    if (!to || modified || to.origin + to.pathname !== location.origin + here || to.search === location.search) return;
    event.preventDefault();
    event.stopPropagation();
    visit(to.href);
    again();
    (document.getElementById(to.hash.slice(1)) ?? document.body).scrollIntoView();
  };
  addEventListener("click", follow, true);
  addEventListener("click", event => event.target.matches(".catalog-copy") && copy(event));
  addEventListener("popstate", again);
  addEventListener("pageshow", event => event.persisted && again());
  addEventListener("beforeprint", () => $$(document, ".catalog details:not(.catalog-pick)").forEach(part => (part.open = true)));
  // `/` goes to the search box of a list, not of the theme.
  const shortcut = event => {
    const box = $$(document, "input[aria-keyshortcuts]").find(field => field.offsetParent);
    const typing = event.target.closest?.("input:not([type=checkbox]), textarea, select, [contenteditable]");
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || typing || !box) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    box.focus();
  };
  addEventListener("keydown", shortcut, true);
  // Material's instant navigation
  if (typeof document$ !== "undefined") document$.subscribe(begin);
  else if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
  else begin();
})();
