// Finding, sorting and copying in the catalog's pages. Without this script everything is there, unsorted.
(() => {
  "use strict";

  const narrow = (root, controls, items) => {
    const search = controls.querySelector("input");
    const selects = [...controls.querySelectorAll("select")];
    const output = controls.querySelector("output");
    const texts = new Map(items.map((item) => [item, item.textContent.toLowerCase()]));
    const update = () => {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      let count = 0;
      for (const item of items) {
        item.hidden = !(
          words.every((word) => texts.get(item).includes(word)) &&
          selects.every((select) => !select.value || item.dataset[select.dataset.field] === select.value)
        );
        count += !item.hidden;
      }
      output.textContent = `${count} of ${items.length} ${output.dataset.noun}`;
    };
    controls.addEventListener("input", update);
    controls.hidden = false;
    update();
  };

  // Numbers by size, everything else as people count: 1.9 before 1.10. Empty cells stay last.
  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  const key = (row, column) => {
    const cell = row.cells[column];
    return (cell.dataset.sort ?? cell.textContent).trim().replace(/^–$/, "");
  };
  const compare = (a, b) => {
    const difference = Number(a) - Number(b);
    return a !== "" && b !== "" && !Number.isNaN(difference) ? difference : collator.compare(a, b);
  };
  const sort = (table, heading) => {
    const down = heading.getAttribute("aria-sort") === "ascending";
    const column = heading.cellIndex;
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [key(row, column), row]);
    rows.sort(([a], [b]) => (a === "") - (b === "") || (down ? compare(b, a) : compare(a, b)));
    body.append(...rows.map(([, row]) => row));
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
  };
  const sortable = (table) => {
    for (const heading of table.tHead.rows[0].cells) {
      if (heading.dataset.unsorted !== undefined) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      button.addEventListener("click", () => sort(table, heading));
      heading.append(button);
    }
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
    const before = button.textContent;
    button.disabled = true;
    try {
      await write(button.dataset.copy);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not allowed";
    }
    said.textContent = button.textContent;
    setTimeout(() => Object.assign(button, { textContent: before, disabled: false }), 1500);
  };
  const said = Object.assign(document.createElement("div"), { className: "catalog-sr", role: "status" });

  const start = () => {
    document.body.append(said);
    for (const root of document.querySelectorAll(".catalog:not([data-ready])")) {
      root.dataset.ready = "";
      const controls = root.querySelector(".catalog-controls");
      if (controls) narrow(root, controls, [...root.querySelectorAll("[data-item]")]);
      root.querySelectorAll("table[data-sortable]").forEach(sortable);
      for (const button of root.querySelectorAll(".catalog-copy")) {
        button.hidden = false;
        button.addEventListener("click", () => copy(button));
      }
    }
  };
  // Material replaces the page without loading it anew, and tells of it here.
  if (typeof document$ !== "undefined") document$.subscribe(start);
  else if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
