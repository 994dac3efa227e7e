// All scans of the example are from one day, so its pages show ages and ends of support as of the next day, with a
// note. A catalog with regular scans does not need this.
globalThis.catalogNow ??= "2025-11-01";
const sayDay = () => {
  const heading = document.querySelector(".catalog-start") ?? document.querySelector("article h1, [role=main] h1");
  const note = document.querySelector(".catalog time") && heading;
  if (!catalogNow || !note || document.querySelector(".example-day")) return;
  const line = Object.assign(document.createElement("p"), { className: "example-day" });
  const day = new Date(catalogNow).toLocaleDateString("en", { dateStyle: "long", timeZone: "UTC" });
  line.textContent = `An example: ages and ends of support on this page are as of ${day}.`;
  note.after(line);
};
if (typeof document$ !== "undefined") document$.subscribe(sayDay);
else document.addEventListener("DOMContentLoaded", sayDay);
