"use strict";
(() => {
  // Filters: rows of the table and sections of the same claims.
  const form = document.getElementById("filters");
  const rows = [...document.querySelectorAll(".verdicts tbody tr")];
  const shown = document.getElementById("shown");
  const words = new Map(rows.map((row) => {
    const section = document.getElementById(row.dataset.claim);
    return [row, (row.textContent + " " + section.querySelector(".statement").textContent).toLowerCase()];
  }));
  function filter() {
    const text = form.elements.text.value.trim().toLowerCase();
    let count = 0;
    for (const row of rows) {
      const keep = ["paper", "scope", "verdict", "kind"].every((name) => {
        const wanted = form.elements[name].value;
        return wanted === "" || row.dataset[name] === wanted;
      }) && words.get(row).includes(text);
      row.hidden = !keep;
      document.getElementById(row.dataset.claim).hidden = !keep;
      count += keep ? 1 : 0;
    }
    shown.textContent = count + " of " + rows.length + " shown";
  }
  form.hidden = false;
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  filter();

  // Steps: what comes later is not there yet, what happens now is marked.
  const steppers = [...document.querySelectorAll(".steps")].map((element) => {
    const last = Number(element.dataset.steps);
    const parts = [...element.querySelectorAll("[data-step]")];
    const bar = document.createElement("div");
    bar.className = "bar";
    const button = (label, title, go) => {
      const made = document.createElement("button");
      made.type = "button";
      made.textContent = label;
      made.setAttribute("aria-label", title);
      made.addEventListener("click", go);
      bar.append(made);
      return made;
    };
    const say = document.createElement("span");
    say.setAttribute("aria-live", "polite");
    const self = { element, at: last, move(by) { self.to(self.at + by); }, to(step) {
      self.at = Math.min(last, Math.max(0, step));
      element.classList.add("stepping");
      for (const part of parts) {
        const own = Number(part.dataset.step);
        part.classList.toggle("later", own > self.at);
        part.classList.toggle("now", own === self.at);
      }
      say.textContent = "step " + self.at + " of " + last;
      back.disabled = self.at === 0;
      next.disabled = self.at === last;
    } };
    button("|◀", "Before the first step", () => self.to(0));
    const back = button("◀", "Previous step", () => self.move(-1));
    const next = button("▶", "Next step", () => self.move(1));
    button("▶|", "All steps", () => self.to(last));
    bar.append(say);
    element.prepend(bar);
    say.textContent = last + " steps";
    next.disabled = true;
    return self;
  });
  let latest = null;
  // The run with the focus, else the last one stepped while in sight, else the one nearest to the middle of the window.
  function inSight(self) {
    const box = self.element.getBoundingClientRect();
    return box.height > 0 && box.bottom > 0 && box.top < innerHeight;
  }
  function current() {
    const focused = steppers.find((self) => self.element.contains(document.activeElement));
    if (focused) return focused;
    if (latest && inSight(latest)) return latest;
    const distance = (self) => {
      const box = self.element.getBoundingClientRect();
      return Math.abs((box.top + box.bottom - innerHeight) / 2);
    };
    return steppers.filter(inSight).sort((a, b) => distance(a) - distance(b))[0];
  }
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (event.key === "/") {
      event.preventDefault();
      form.elements.text.focus();
      return;
    }
    if (event.key !== "j" && event.key !== "k") return;
    const self = current();
    if (!self) return;
    // From the full picture, forward begins at the first step.
    if (event.key === "j" && !self.element.classList.contains("stepping")) self.to(0);
    self.move(event.key === "j" ? 1 : -1);
    latest = self;
  });
})();
