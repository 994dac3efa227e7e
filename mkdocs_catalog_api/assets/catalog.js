// Finding, sorting and copying in the catalog's pages. Without this script everything is there, page by page.
(() => {
  "use strict";

  const WORDS = ["critical", "high", "medium", "low", "unknown"];
  const DAY = 864e5;
  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  const documents = new Map();
  const load = (address) => {
    const key = new URL(address, location).href;
    if (!documents.has(key)) {
      const found = fetch(key).then((got) => (got.ok ? got.json() : Promise.reject(new Error(got.status))));
      found.catch(() => documents.delete(key));
      documents.set(key, found);
    }
    return documents.get(key);
  };
  const at = (item, path) => path.split(".").reduce((value, name) => value?.[name], item);
  const many = (count, noun) => `${count} ${count === 1 ? noun : noun.replace(/y$/, "ie") + "s"}`;

  // The age of scans and the end of support, by the reader's clock.
  const age = (element) => {
    const days = Math.floor((Date.now() - Date.parse(element.dateTime)) / DAY);
    if (Number.isNaN(days)) return;
    const max = Number(element.closest("[data-max-age]")?.dataset.maxAge);
    const when = days < 1 ? "today" : days < 2 ? "yesterday" : `${days} days ago`;
    element.textContent = `scanned ${when}`;
    element.title = element.dateTime;
    if (max && days > max) {
      element.append(" ", chip("stale"));
    }
  };
  const chip = (text) =>
    Object.assign(document.createElement("span"), { className: "catalog-chip catalog-chip-bad", textContent: text });
  const ended = (date) => Boolean(date) && Date.parse(date) + DAY <= Date.now();
  const support = (element) => {
    if (ended(element.dateTime)) {
      element.replaceChildren(chip("end of life"), ` since ${element.dateTime}`);
      element.hidden = false;
    }
  };
  const times = (root) => {
    root.querySelectorAll("time[data-age]").forEach(age);
    root.querySelectorAll("time[data-ends]").forEach(support);
  };

  // A list: its state stands in the address, its rows come from the document as soon as somebody asks.
  const lists = [];
  class List {
    constructor(root, prefix) {
      this.root = root;
      this.prefix = prefix;
      this.form = root.querySelector(".catalog-controls");
      this.table = root.querySelector("table");
      this.body = this.table.tBodies[0];
      this.more = root.querySelector(".catalog-next");
      this.none = root.querySelector(".catalog-none");
      this.size = Number(root.dataset.size);
      this.limit = this.size;
      this.sample = (root.querySelector("template")?.content ?? this.body).querySelector("tr").cloneNode(true);
      this.first = [...this.body.rows];
      this.pristine = true;
      this.own = new Set([...(this.form?.elements ?? [])].map((field) => field.name).filter(Boolean));
      this.base = JSON.parse(root.dataset.base ?? "{}");
      this.facts = new Map((root.dataset.facts ?? "").split(";").map((fact) => [fact.split("=")[0], fact.split("=").slice(1)]));
      this.texts = new WeakMap();
      this.made = new WeakMap();
      this.form?.addEventListener("input", (event) => this.changed(event.target.type === "search"));
      this.form?.addEventListener("submit", (event) => event.preventDefault());
      this.form?.addEventListener("pointerover", () => this.rows(), { once: true });
      this.form?.addEventListener("focusin", () => this.rows(), { once: true });
      for (const button of root.querySelectorAll("[data-clear]")) button.addEventListener("click", () => this.clear());
      this.more?.addEventListener("click", (event) => {
        event.preventDefault();
        this.limit += this.size;
        this.render(true);
      });
      for (const heading of this.table.tHead.rows[0].cells) if (heading.dataset.key) this.sortable(heading);
      for (const button of root.querySelectorAll("[data-view]"))
        button.addEventListener("click", () => {
          this.view = button.dataset.view;
          this.changed();
        });
      this.restore();
    }
    sortable(heading) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      button.addEventListener("click", () => {
        const { key } = heading.dataset;
        const name = key.split(".").pop();
        const down = heading.classList.contains("catalog-number") || name === "score" ? "-" : "";
        this.sort = this.sort === down + name ? (down ? "" : "-") + name : down + name;
        this.changed();
      });
      heading.append(button);
    }
    read(name) {
      return new URLSearchParams(location.search).get(this.prefix + name) ?? "";
    }
    values(name) {
      return this.read(name).split(",").filter(Boolean).map(decodeURIComponent);
    }
    restore() {
      for (const field of this.form?.elements ?? []) {
        if (!field.name) continue;
        if (field.type === "checkbox") field.checked = this.values(field.name).includes(field.value);
        else field.value = field.type === "search" ? this.read(field.name) : (this.values(field.name)[0] ?? "");
      }
      this.sort = this.read("sort");
      this.view = this.read("view");
      this.limit = this.size;
      this.show();
    }
    state() {
      const found = new Map();
      for (const field of this.form?.elements ?? []) {
        if (!field.name || !field.value || (field.type === "checkbox" && !field.checked)) continue;
        found.set(field.name, [...(found.get(field.name) ?? []), field.value]);
      }
      return found;
    }
    changed(typing) {
      const query = new URLSearchParams(location.search);
      for (const name of [...this.own, "sort", "view"]) query.delete(this.prefix + name);
      for (const [name, values] of this.state())
        query.set(this.prefix + name, name === "find" ? values[0] : values.map((value) => value.replace(/[%,]/g, encodeURIComponent)).join(","));
      for (const name of ["sort", "view"]) if (this[name]) query.set(this.prefix + name, this[name]);
      const text = query.toString().replaceAll("%2C", ",");
      const address = location.pathname + (text && "?" + text) + location.hash;
      if (address !== location.pathname + location.search + location.hash)
        if (typing) history.replaceState(history.state, "", address);
        else history.pushState(history.state, "", address);
      this.limit = this.size;
      this.show();
    }
    clear() {
      for (const field of this.form.elements)
        if (field.type === "checkbox") field.checked = false;
        else if (field.name) field.value = "";
      this.changed();
      this.form.querySelector("input").focus();
    }
    async rows() {
      const found = await load(this.root.dataset.source);
      const rows = at(found, this.root.dataset.key ?? "data") ?? [];
      const base = Object.entries(this.base);
      const left = rows.filter((item) => base.every(([name, value]) => [item[name]].flat().map(String).includes(value)));
      return this.root.dataset.limit ? left.slice(0, Number(this.root.dataset.limit)) : left;
    }
    show() {
      const cards = (this.view || this.root.dataset.view) === "cards";
      this.table.classList.toggle("catalog-cards", cards);
      for (const button of this.root.querySelectorAll("[data-view]"))
        if (button !== this.root) button.setAttribute("aria-pressed", String((button.dataset.view === "cards") === cards));
      for (const heading of this.table.tHead.rows[0].cells) {
        const name = heading.dataset.key?.split(".").pop();
        if (name && this.sort.replace("-", "") === name)
          heading.setAttribute("aria-sort", this.sort.startsWith("-") ? "descending" : "ascending");
        else heading.removeAttribute("aria-sort");
      }
      const state = this.state();
      for (const pick of this.form?.querySelectorAll("details") ?? []) {
        const chosen = [...pick.querySelectorAll(":checked")].map((field) => field.parentElement.textContent.trim());
        pick.querySelector("b").textContent = chosen.length ? `: ${chosen.join(", ")}` : "";
      }
      this.form?.querySelector("[data-clear]")?.toggleAttribute("hidden", !state.size);
      if (this.root.dataset.list && (state.size || this.sort || this.view))
        sessionStorage.setItem(`catalog-${this.root.dataset.list}-${this.root.dataset.home ?? ""}`, location.href);
      else sessionStorage.removeItem(`catalog-${this.root.dataset.list}-${this.root.dataset.home ?? ""}`);
      if (state.size || this.sort || !this.pristine) return this.render();
    }
    async render(grown) {
      const turn = (this.turn = (this.turn ?? 0) + 1);
      let rows;
      try {
        rows = await this.rows();
      } catch {
        this.say("The list can't be loaded: try again.");
        return;
      }
      if (turn !== this.turn) return;
      const state = this.state();
      const found = rows.filter((item) => this.wanted(item, state));
      const sort = this.sort || this.root.dataset.sort;
      if (sort) this.order(found, sort);
      if (!state.size && !this.sort && this.limit === this.size && !this.root.dataset.swapped) {
        this.body.replaceChildren(...this.first);
        this.pristine = true;
      } else {
        // A screen at a time, so that the first is there at once.
        let start = grown ? this.body.rows.length : 0;
        const add = () => {
          if (turn !== this.turn) return;
          const made = found.slice(start, Math.min((start += 12), this.limit)).map((item) => this.row(item));
          this.body.append(...made);
          if (start < Math.min(found.length, this.limit)) requestAnimationFrame(() => setTimeout(add));
          return made[0];
        };
        if (!grown) this.body.replaceChildren();
        const first = add();
        if (grown) first?.querySelector("a")?.focus();
        this.pristine = false;
      }
      const shown = Math.min(found.length, this.limit);
      const { noun } = this.root.dataset;
      this.say(shown < found.length ? `${shown} of ${many(found.length, noun)}` : many(found.length, noun));
      this.table.parentElement.hidden = !found.length;
      if (this.none) this.none.hidden = found.length > 0;
      if (this.more) this.more.hidden = shown >= found.length;
      const pages = this.root.querySelector(".catalog-pages");
      if (pages) pages.hidden = !this.pristine;
    }
    say(text) {
      const output = this.root.querySelector("output");
      if (output) output.textContent = text;
    }
    text(item) {
      if (!this.texts.has(item)) {
        const words = Object.values(item).flat().filter((value) => typeof value === "string" && !value.startsWith("/"));
        this.texts.set(item, words.join(" ").toLowerCase());
      }
      return this.texts.get(item);
    }
    wanted(item, state) {
      const has = this.valuesOf(item);
      if (this.own.has("lifecycle") && !state.has("lifecycle") && !this.base.lifecycle && item.lifecycle !== "available")
        return false;
      for (const [name, values] of state) {
        if (name === "find") {
          if (!values[0].toLowerCase().split(/\s+/).every((word) => this.text(item).includes(word))) return false;
        } else if (name === "fix") {
          const wanted = state.get("severity");
          const fixed = this.facts.get(item.slug)?.[1];
          if (item.fixed !== undefined ? !item.fixed : wanted && fixed !== undefined ? !wanted.some((word) => fixed.includes(word[0])) : !(item.security?.fixable ?? item.fixable)) return false;
        } else if (name === "scanned") {
          const when = this.facts.get(item.slug)?.[0];
          const days = (Date.now() - Date.parse(when)) / DAY;
          const [wanted] = values;
          if (wanted === "never" ? item.security.scanned : wanted.startsWith("-") ? !(days > -wanted) : !(days <= wanted)) return false;
        } else if (!has(name).some((value) => values.includes(value))) return false;
      }
      return true;
    }
    valuesOf(item) {
      const { security } = item;
      return (name) => {
        if (name === "severity") return security ? WORDS.filter((word) => security[word] > 0) : [item.severity.toLowerCase()];
        if (name === "grade") return [security.grade ?? "none"];
        if (name === "category") return item.categories ?? [item.category];
        if (name === "platform") return item.platforms;
        return [item[name]].flat().map(String);
      };
    }
    order(found, sort) {
      const down = sort.startsWith("-");
      const name = sort.replace("-", "");
      const heading = [...this.table.tHead.rows[0].cells].find((cell) => cell.dataset.key?.split(".").pop() === name);
      const path = heading?.dataset.key ?? name;
      const value = (item) => {
        if (name === "severity") return WORDS.indexOf(item.severity.toLowerCase());
        if (name === "risk") return item.security.total === null ? null : WORDS.reduce((sum, word) => sum * 1e4 + item.security[word], 0);
        if (name === "scannedAt") return this.facts.get(item.slug)?.[0] ?? null;
        return at(item, path);
      };
      const empty = (one) => one === null || one === undefined || one === "";
      const keys = new Map(found.map((item) => [item, value(item)]));
      const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : collator.compare(a, b));
      found.sort((one, other) => {
        const [a, b] = [keys.get(one), keys.get(other)];
        return empty(a) - empty(b) || (empty(a) ? 0 : down ? compare(b, a) : compare(a, b));
      });
    }
    link(href) {
      const { root, mount } = document.querySelector("[data-mount]").dataset;
      return root + href.slice(mount.length + 1) || "./";
    }
    row(item) {
      if (!this.made.has(item)) this.made.set(item, this.make(item));
      return this.made.get(item);
    }
    make(item) {
      const row = this.sample.cloneNode(true);
      row.hidden = false;
      if (item.pkg !== undefined) row.id = item.id;
      for (const element of row.querySelectorAll("[data-f]")) this.fill(element, item, element.dataset.f);
      times(row);
      return row;
    }
    fill(element, item, name) {
      const value = at(item, name);
      if (element.dataset.address !== undefined) {
        element.toggleAttribute("hidden", !value);
        if (element.dataset.named !== undefined) element.textContent = value;
        if (value) element.href = name === "url" ? value : element.dataset.address.replace("{id}", encodeURIComponent(value));
      } else if (name === "url") {
        const address = value || item.homepage;
        element.textContent = item.name;
        if (address) element.href = address.startsWith("/") ? this.link(address) : address;
        else element.removeAttribute("href");
      } else if (name === "security.grade") {
        const scanned = item.security.total !== null;
        element.className = `catalog-grade catalog-grade-${(value ?? "none").toLowerCase().replace("+", "-plus")}`;
        element.title = value ? `Score ${item.security.score} of 100` : "";
        element.lastChild.textContent = value ?? (scanned ? "not graded" : "not scanned");
      } else if (name === "severity") {
        element.className = `catalog-severity catalog-fill-${value.toLowerCase()}`;
        element.textContent = value[0] + value.slice(1).toLowerCase();
      } else if (name === "bar") {
        const { security } = item;
        let start = 0;
        element.replaceChildren();
        for (const word of WORDS) {
          if (!security.total || !security[word]) continue;
          const part = document.createElementNS("http://www.w3.org/2000/svg", "rect");
          const width = (100 * security[word]) / security.total;
          for (const [key, set] of Object.entries({ class: `catalog-fill-${word}`, x: start, width, height: 8 })) part.setAttribute(key, set);
          element.append(part);
          start += width;
        }
      } else if (name === "scannedAt") {
        element.dateTime = this.facts.get(item.slug)?.[0] ?? "";
        element.textContent = "";
      } else if (name === "ends") {
        element.dateTime = item.versions[0]?.endOfLife ?? "";
        element.hidden = true;
      } else if (name === "lifecycle") {
        element.textContent = value;
        element.className = `catalog-chip catalog-chip-${value}`;
        element.hidden = value === "available";
      } else if (name === "exploited") {
        element.textContent = `exploited since ${value}`;
        element.hidden = !value;
      } else if (name === "blocked") {
        element.hidden = !value;
      } else if (name === "outcome") {
        element.className = `catalog-outcome catalog-outcome-${value}`;
        element.textContent = value[0].toUpperCase() + value.slice(1);
      } else if (name === "document" || name === "page") {
        if (name === "page") element.textContent = item.application;
        element.removeAttribute("href");
        if (item.href && name === "document") element.href = this.link(item.href);
        else if (item.href)
          load(`${this.link(item.href).split(/\/[^/]*\/index/)[0]}.json`).then((all) => {
            const { url } = all.data.find((one) => one.href === item.href) ?? {};
            if (url) element.href = this.link(url);
          });
      } else {
        const missing = value === null || value === undefined || value === "" || value === false;
        element.textContent = missing ? (element.dataset.none ?? "–") : value === true ? "yes" : [value].flat().join(", ");
        element.toggleAttribute("data-empty", missing || value === 0);
      }
    }
  }

  // Another release of an image: its rows come from its document and take the place of the newest's.
  const releases = (root) => {
    const select = root.querySelector(".catalog-release select");
    const list = lists.find((one) => root.contains(one.root) && one.root.dataset.key === "cves");
    if (!select || !list) return;
    const { source } = list.root.dataset;
    const apply = async () => {
      const wanted = new URLSearchParams(location.search).get("release");
      const option = [...select.options].find((one) => one.dataset.version === wanted) ?? select.options[0];
      option.selected = true;
      const newest = option.index === 0;
      root.querySelector(".catalog-newest")?.toggleAttribute("hidden", !newest);
      root.querySelector(".catalog-mends").textContent = option.dataset.mends ?? "";
      if (newest && list.root.dataset.swapped === undefined) return;
      list.root.dataset.source = newest ? source : option.value;
      list.root.dataset.swapped = option.dataset.version;
      await list.render();
      toRow();
    };
    select.addEventListener("change", () => {
      const address = new URL(location);
      address.hash = "";
      address.searchParams.delete("release");
      if (select.selectedIndex) address.searchParams.set("release", select.selectedOptions[0].dataset.version);
      history.pushState(history.state, "", address);
      apply();
    });
    list.other = apply;
    apply();
  };
  const toRow = () => {
    const row = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (row?.matches?.("tr")) row.scrollIntoView({ block: "center" });
  };

  // Who has one vulnerability, from its own document.
  const lookup = async (root) => {
    const id = new URLSearchParams(location.search).get("id");
    const box = root.querySelector(".catalog-found");
    if (!box) return;
    const list = lists.find((one) => root.contains(one.root));
    list.root.hidden = Boolean(id);
    box.hidden = !id;
    box.replaceChildren();
    if (!id) return;
    const say = (into, tag, text, href) => {
      const made = Object.assign(document.createElement(tag), { textContent: text });
      if (href) made.href = href;
      into.append(made, " ");
      return made;
    };
    say(box, "h2", id);
    try {
      const entry = (await list.rows()).find((one) => one.id.toLowerCase() === id.toLowerCase());
      if (!entry) say(box, "p", "No listed release has it, as far as scans have looked.");
      else {
        say(box, "p", `${entry.severity}${entry.title ? ": " + entry.title : ""}`);
        if (entry.href) {
          const found = await load(list.link(entry.href));
          const pages = new Map((await load(root.dataset.pages)).data.map((image) => [image.slug, image]));
          for (const [title, entries] of [["Has it", found.data], ["Has it, but it does not apply", found.suppressed]]) {
            if (!entries.length) continue;
            say(box, "h3", `${title}: ${many(new Set(entries.map((one) => one.slug)).size, "image")}`);
            const items = say(box, "ul", "");
            for (const one of entries) {
              const line = say(items, "li", "");
              const release = one.isLatest ? "" : `?release=${encodeURIComponent(one.version)}`;
              const image = pages.get(one.slug);
              say(line, "a", `${image?.name ?? one.slug} ${one.version}`, `${list.link(image?.url ?? one.href)}${release}#${encodeURIComponent(found.id)}`);
              line.append(`${one.isLatest ? "newest" : "older"} release, ${one.pkg} ${one.installed}, `);
              line.append(one.status ? one.status.replaceAll("_", " ") : one.fixed ? `fixed in ${one.fixed}` : "no fix yet");
            }
          }
          if (found.charts.length) say(box, "p", `Charts that install it: ${found.charts.map((one) => one.slug).join(", ")}`);
          say(box, "a", "JSON", list.link(entry.href));
        }
      }
    } catch {
      say(box, "p", "It can't be looked up: try again.");
    }
    say(box, "a", "All vulnerabilities", location.pathname);
  };

  const write = async (text) => {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    const area = document.createElement("textarea"); // a page that did not come over HTTPS
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (!done) throw new Error("not allowed");
  };
  const copy = async (button) => {
    try {
      await write(button.dataset.copy);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not allowed";
    }
    button.focus();
    said.textContent = button.textContent;
    setTimeout(() => Object.assign(button, { textContent: "Copy" }), 1500);
  };
  const said = Object.assign(document.createElement("div"), { className: "catalog-sr", role: "status" });

  const start = () => {
    document.body.append(said);
    lists.splice(0, lists.length, ...lists.filter((list) => list.root.isConnected));
    for (const root of document.querySelectorAll("[data-list]:not([data-ready])")) {
      root.dataset.ready = "";
      lists.push(new List(root, lists.some((one) => one.form) ? `${root.dataset.list}.` : ""));
    }
    for (const root of document.querySelectorAll(".catalog:not([data-started])")) {
      root.dataset.started = "";
      times(root);
      releases(root);
      if (root.matches("[data-lookup]")) lookup(root);
      for (const button of root.querySelectorAll(".catalog-copy")) button.addEventListener("click", () => copy(button));
    }
    // The way back to the list as it was left.
    for (const link of document.querySelectorAll("a[data-back]")) {
      const left = sessionStorage.getItem(`catalog-${link.dataset.back}-`);
      if (left && new URL(left).pathname === new URL(link.href).pathname) link.href = left;
    }
    toRow();
  };
  const again = () => {
    for (const list of lists)
      if (list.root.isConnected) {
        list.restore();
        list.other?.();
      }
    document.querySelectorAll("[data-lookup]").forEach(lookup);
  };
  addEventListener("popstate", again);
  addEventListener("pageshow", (event) => event.persisted && again());
  addEventListener("beforeprint", () => document.querySelectorAll(".catalog details").forEach((part) => (part.open = true)));
  addEventListener("click", (event) => {
    for (const pick of document.querySelectorAll(".catalog-pick[open]")) if (!pick.contains(event.target)) pick.open = false;
  });
  addEventListener("keydown", (event) => {
    const pick = event.key === "Escape" && event.target.closest?.(".catalog-pick[open]");
    if (pick) {
      pick.open = false;
      pick.querySelector("summary").focus();
    }
  });
  // Material replaces the page without loading it anew, and tells of it here.
  if (typeof document$ !== "undefined") document$.subscribe(start);
  else if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
