"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  const all = (selector, from = document) => Array.from(from.querySelectorAll(selector));

  // Theme: the system's, light or dark; kept where the browser lets a local page keep it.
  const theme = document.getElementById("theme");
  const themes = ["auto", "light", "dark"];
  const read = () => { try { return localStorage.getItem("labelspan-theme"); } catch { return null; } };
  const keep = (value) => { try { localStorage.setItem("labelspan-theme", value); } catch { /* not kept */ } };
  const setTheme = (value) => {
    if (value === "auto") delete root.dataset.theme; else root.dataset.theme = value;
    theme.textContent = "Theme: " + value;
    theme.value = value;
  };
  setTheme(themes.includes(read()) ? read() : "auto");
  theme.addEventListener("click", () => {
    const next = themes[(themes.indexOf(theme.value) + 1) % themes.length];
    setTheme(next);
    keep(next);
  });

  // Methods: one rule a hidden method hides its rows, columns and curves everywhere.
  const hiding = document.head.appendChild(document.createElement("style"));
  const toggles = all("[data-toggle]");
  const hide = () => {
    const hidden = toggles.filter((box) => !box.checked).map((box) => `[data-m="${box.dataset.toggle}"]`);
    hiding.textContent = hidden.length ? `${hidden.join(",")}{display:none!important}` : "";
    filter();
  };
  toggles.forEach((box) => box.addEventListener("change", hide));
  document.getElementById("all").addEventListener("click", () => {
    toggles.forEach((box) => { box.checked = true; });
    hide();
  });

  // Tables: a click on a heading sorts, a second one the other way; numbers as numbers.
  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
  const valueOf = (row, place) => {
    const cell = row.cells[place];
    const text = cell.dataset.v ?? cell.textContent.trim();
    const number = Number.parseFloat(text);
    return { text, number: /^[-+]?[\d.]/.test(text) ? number : Number.NaN };
  };
  const sort = (table, place, up) => {
    const body = table.tBodies[0];
    const rows = Array.from(body.rows).map((row) => ({ row, ...valueOf(row, place) }));
    const numeric = rows.some((item) => !Number.isNaN(item.number));
    rows.sort((a, b) => {
      if (!numeric) return (up ? 1 : -1) * collator.compare(a.text, b.text);
      // What has no number goes last, whatever the order.
      if (Number.isNaN(a.number) || Number.isNaN(b.number)) return Number.isNaN(a.number) - Number.isNaN(b.number);
      return (up ? 1 : -1) * (a.number - b.number);
    });
    body.append(...rows.map((item) => item.row));
  };
  all("table.sortable").forEach((table) => {
    const heads = Array.from(table.tHead.rows[0].cells);
    heads.forEach((head, place) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const before = head.getAttribute("aria-sort");
        const up = before ? before === "descending" : head.dataset.first !== "down";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        sort(table, place, up);
        if (table.id === "result-table") filter();
      });
    });
  });

  // The filter of the results: words in any order, data set and classifier. Of long tables only the
  // first lines are laid out, until all are asked for: a sort of thousands would stall.
  const most = 200;
  let limit = most;
  const words = document.getElementById("filter");
  const dataset = document.getElementById("filter-dataset");
  const classifier = document.getElementById("filter-classifier");
  const more = document.getElementById("more");
  const body = document.querySelector("#result-table tbody");
  const named = (row) => Array.from(row.cells).slice(0, 3).map((cell) => cell.textContent + " " + cell.title);
  const texts = new Map(all("tr", body).map((row) => [row, named(row).join(" ").toLowerCase()]));
  function filter() {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const off = new Set(toggles.filter((box) => !box.checked).map((box) => box.dataset.toggle));
    let fitting = 0;
    Array.from(body.rows).forEach((row) => {
      const fits = !off.has(row.dataset.m)
        && wanted.every((word) => texts.get(row).includes(word))
        && (!dataset.value || row.dataset.d === dataset.value)
        && (!classifier.value || row.dataset.k === classifier.value);
      fitting += fits;
      row.hidden = !fits || fitting > limit;
    });
    document.getElementById("count").textContent = `${fitting} of ${texts.size} lines`;
    more.hidden = fitting <= limit;
    more.textContent = `Show all ${fitting}, not the first ${limit}`;
  }
  const showAll = () => { limit = Infinity; filter(); };
  [words, dataset, classifier].forEach((field) => field.addEventListener("input", filter));
  more.addEventListener("click", showAll);
  window.addEventListener("beforeprint", showAll);

  // Galleries: menus choose the drawing; a choice without a drawing goes to the nearest that has one.
  all(".gallery").forEach((gallery) => {
    const menus = all("select", gallery);
    const panels = all(".panel", gallery);
    const show = () => {
      const wanted = menus.map((menu) => menu.value);
      const fit = (panel) => panel.dataset.choice.split(" ").filter((value, place) => value === wanted[place]).length;
      const best = panels.reduce((a, b) => (fit(b) > fit(a) ? b : a));
      panels.forEach((panel) => panel.classList.toggle("on", panel === best));
    };
    menus.forEach((menu) => menu.addEventListener("input", show));
    show();
  });
  filter();
})();
