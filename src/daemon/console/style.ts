/** The style sheet of every page. Text has a contrast of at least 4.5 to 1, light and dark. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f5f6f8; --panel: #ffffff; --text: #1a1e24; --faint: #586070; --line: #dfe3e8; --edge: #858e9b;
  --link: #0b57a8; --button: #1c62bf; --on-button: #ffffff; --danger: #b0231b;
  --good: #17693b; --warn: #875000; --bad: #b0231b; --info: #0b57a8;
  --good-soft: #e6f4ea; --warn-soft: #fdf2dc; --bad-soft: #fdebe9; --info-soft: #e9f1fb;
  --mark: #ffe9a8; --shadow: 0 1px 2px rgb(20 30 50 / 6%);
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f1216; --panel: #171b21; --text: #e6e9ee; --faint: #a3acb9; --line: #2a313a; --edge: #6d7785;
    --link: #84b8ff; --button: #2d6cc9; --on-button: #ffffff; --danger: #c03a2f;
    --good: #74d49b; --warn: #f0c168; --bad: #ff9d95; --info: #84b8ff;
    --good-soft: #12271b; --warn-soft: #2b2310; --bad-soft: #321818; --info-soft: #132238;
    --mark: #5a4300; --shadow: none;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--ground); color: var(--text);
  font: 0.9375rem/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; font-variant-numeric: tabular-nums;
}
header {
  display: grid; grid-template-columns: 1fr auto; align-items: center; gap: 0 1rem;
  padding: 0.5rem max(1rem, (100% - 64rem) / 2) 0; background: var(--panel); border-bottom: 1px solid var(--line);
}
header:not(:has(.tabs)) { padding-bottom: 0.5rem; }
header form { grid-row: 1; grid-column: 2; }
.trail { display: flex; align-items: center; gap: 0.5rem; min-width: 0; color: var(--faint); }
.trail a, .brand { color: var(--text); text-decoration: none; font-weight: 600; }
.trail a:hover { text-decoration: underline; }
.brand { display: inline-flex; align-items: center; gap: 0.5rem; white-space: nowrap; }
.crumb { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.tabs { grid-column: 1 / -1; overflow-x: auto; scrollbar-width: none; margin: 0 -0.5rem; }
.tabs ul { display: flex; list-style: none; margin: 0; padding: 0; }
.tabs a {
  display: block; padding: 0.5rem 0.75rem 0.55rem; border-bottom: 2px solid transparent;
  color: var(--faint); text-decoration: none; white-space: nowrap;
}
.tabs a:hover { color: var(--text); }
.tabs a[aria-current] { color: var(--text); border-color: var(--button); font-weight: 600; }
main { max-width: 66rem; margin: 0 auto; padding: 1.25rem 1rem 4rem; }
a { color: var(--link); text-underline-offset: 0.15em; }
a:focus-visible, button:focus-visible, input:focus-visible, select:focus-visible, summary:focus-visible {
  outline: 2px solid var(--link); outline-offset: 2px; border-radius: 0.25rem;
}
.tabs a:focus-visible { outline-offset: -2px; }
.skip { position: absolute; left: -100rem; }
.skip:focus { position: static; }
h1 { font-size: 1.5rem; line-height: 1.25; font-weight: 650; letter-spacing: -0.01em; margin: 0.25rem 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.0625rem; line-height: 1.35; font-weight: 650; margin: 2rem 0 0.6rem; overflow-wrap: anywhere; }
h3 { font-size: 0.9375rem; font-weight: 600; margin: 0 0 0.15rem; overflow-wrap: anywhere; }
p { margin: 0.5rem 0; max-width: 45rem; overflow-wrap: anywhere; }
code { font-size: 0.9em; background: var(--line); border-radius: 0.25rem; padding: 0.1rem 0.3rem; overflow-wrap: anywhere; }
.faint { color: var(--faint); }
.small { font-size: 0.8125rem; }
.good, .completed { color: var(--good); }
.halted, .stopped, .running { color: var(--warn); }
.failed { color: var(--bad); }
.panel {
  background: var(--panel); border: 1px solid var(--line); border-radius: 0.625rem; padding: 1rem 1.125rem; margin: 0.75rem 0;
  box-shadow: var(--shadow);
}
p.panel { max-width: none; }
.panel > :first-child { margin-top: 0; }
.panel > :last-child { margin-bottom: 0; }
.notice { background: var(--info-soft); border-color: transparent; box-shadow: none; }
.trouble { background: var(--bad-soft); border-color: transparent; box-shadow: none; }
.accept, .hero.warn { border-left: 3px solid var(--warn); }
li > div:has(> select) { display: flex; align-items: center; gap: 0.5rem; margin-top: 0.3rem; }
.accept > p:first-child { font-weight: 600; }
.hero.bad { border-left: 3px solid var(--bad); }
.hero.good { color: var(--text); }
.headline { font-size: 1.25rem; line-height: 1.3; margin: 0 0 0.25rem; }
.hero.good .headline strong { color: var(--good); }
.hero.warn .headline strong { color: var(--warn); }
.hero.bad .headline strong { color: var(--bad); }
.dot { display: inline-block; width: 0.6rem; height: 0.6rem; border-radius: 50%; background: var(--faint); margin-right: 0.5rem; }
.dot.good { background: var(--good); }
.dot.warn { background: var(--warn); }
.dot.bad { background: var(--bad); }
.dot.info { background: var(--info); }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1.25rem; margin: 0; }
.facts dt { color: var(--faint); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.changes, .timeline, .cards, .tiles, .values { list-style: none; margin: 0; padding: 0; }
.panel.changes { padding: 0.25rem 1.125rem; }
.changes > li { border-top: 1px solid var(--line); padding: 0.65rem 0; overflow-wrap: anywhere; }
.changes > li:first-child { border-top: 0; }
.changes ul:not(.values), .timeline ul:not(.values) { margin: 0.25rem 0 0; padding-left: 1.1rem; }
.changes > li > form { margin-top: 0.4rem; }
li:not(.entry) > .values { padding-left: 1.1rem; }
.entry { display: flex; justify-content: space-between; align-items: flex-start; gap: 1rem; }
.entry .button { flex: none; }
del { color: var(--faint); }
ins { text-decoration: none; font-weight: 600; }
.actions { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: end; margin: 0.75rem 0; }
.actions form { margin: 0; }
.actions > span { align-self: center; }
button, a.button {
  display: inline-flex; align-items: center; font: inherit; font-weight: 550; line-height: 1.5; padding: 0.3rem 0.85rem;
  min-height: 2.25rem; border: 1px solid var(--edge); border-radius: 0.45rem; background: transparent; color: var(--text);
  text-decoration: none; white-space: nowrap; cursor: pointer;
}
button:hover, a.button:hover { background: var(--info-soft); }
button.first, a.button.first { background: var(--button); border-color: var(--button); color: var(--on-button); }
button.danger { background: var(--danger); border-color: var(--danger); color: #ffffff; }
button.first:hover, a.button.first:hover, button.danger:hover { filter: brightness(1.08); }
header button { min-height: 2rem; padding: 0.15rem 0.6rem; border-color: transparent; color: var(--faint); }
input, select {
  font: inherit; padding: 0.3rem 0.6rem; border: 1px solid var(--edge); border-radius: 0.45rem;
  background: var(--panel); color: var(--text); min-height: 2.25rem; max-width: 100%;
}
label { display: block; font-weight: 550; font-size: 0.8125rem; margin-bottom: 0.15rem; }
details { margin: 0.5rem 0; }
summary { cursor: pointer; }
progress { width: 100%; max-width: 40rem; height: 0.6rem; accent-color: var(--button); }
mark { background: var(--mark); color: inherit; border-radius: 0.2rem; padding: 0 0.15rem; }
.differs { color: var(--warn); font-size: 0.85rem; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; color: var(--faint); font-size: 0.8125rem; padding-bottom: 0.25rem; }
th { font-size: 0.8125rem; font-weight: 550; color: var(--faint); white-space: nowrap; }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 1rem 0.4rem 0; border-top: 1px solid var(--line); overflow-wrap: break-word; }
td:first-child { min-width: 9rem; }
thead th { border-top: 0; }
.accounts, .sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: 0.75rem; margin: 0.75rem 0; }
.accounts .panel, .account p { margin: 0; }
.number { font-size: 1.5rem; font-weight: 650; letter-spacing: -0.01em; }
.number span { font-size: 0.875rem; font-weight: 400; color: var(--faint); letter-spacing: 0; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: 0.6rem; margin: 0.75rem 0; }
.tiles a {
  display: block; height: 100%; padding: 0.65rem 0.9rem; background: var(--panel); border: 1px solid var(--line);
  border-radius: 0.625rem; color: var(--text); text-decoration: none; box-shadow: var(--shadow);
}
.tiles a:hover { border-color: var(--link); }
.tiles strong { display: block; font-size: 1.375rem; line-height: 1.2; }
.tiles .warn strong { color: var(--warn); }
.tiles .bad strong { color: var(--bad); }
.timeline { margin: 0.5rem 0; padding-left: 1rem; border-left: 2px solid var(--line); }
.timeline > li { position: relative; padding: 0 0 1rem 0.5rem; overflow-wrap: anywhere; }
.timeline > li::before {
  content: ''; position: absolute; left: -1.45rem; top: 0.4rem; width: 0.7rem; height: 0.7rem;
  border-radius: 50%; background: var(--link);
}
.timeline p { margin: 0; }
.timeline .when { color: var(--faint); }
.cards h2 { margin: 0; font-size: 1.05rem; }
.side { border: 1px solid var(--line); border-radius: 0.4rem; padding: 0.5rem 0.75rem; background: var(--ground); }
.side.kept { border: 2px solid var(--good); }
.side h3 { font-size: 0.9rem; color: var(--faint); }
.side .value { margin: 0.25rem 0; font-size: 1.1rem; }
@media (max-width: 40rem) {
  .tabs a { padding: 0.35rem 0.5rem 0.4rem; font-size: 0.875rem; }
  main { padding: 1rem 0.875rem 3rem; }
  h1 { font-size: 1.3125rem; margin-bottom: 0.75rem; }
  .trail .brand span { position: absolute; left: -100rem; }
  header:not(:has(.tabs)) .brand span { position: static; }
  .tiles { grid-template-columns: 1fr 1fr; }
  .facts { grid-template-columns: 1fr; gap: 0; }
  .facts dd { margin-bottom: 0.4rem; }
  table, caption, tbody, td { display: block; }
  .list thead { position: absolute; left: -100rem; }
  .list tr { display: flex; flex-wrap: wrap; gap: 0 0.75rem; padding: 0.5rem 0; border-top: 1px solid var(--line); }
  .list td { border: 0; padding: 0; font-size: 0.875rem; color: var(--faint); }
  .list td:first-child { flex: 1 0 100%; font-size: inherit; }
  .fields thead, .fields tr { display: grid; grid-template-columns: 1fr 1fr; gap: 0 0.75rem; }
  .fields thead { display: block; }
  .fields tbody tr { border-top: 1px solid var(--line); padding: 0.4rem 0; }
  .fields td { border: 0; padding: 0; font-size: 0.8125rem; overflow-wrap: anywhere; }
  .fields th:first-child, .fields th:nth-child(4) { display: none; }
  .fields td:first-child, .fields td:nth-child(4) { grid-column: 1 / -1; color: var(--faint); font-size: 0.8125rem; }
  td:empty { display: none; }
}
`;

/** The icon of the page: two contacts that are kept the same. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24" viewBox="0 0 24 24" aria-hidden="true"><rect width="24" height="24" rx="6" fill="#1c62bf"/><g fill="none" stroke="#fff" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"><path d="M6 10h11M14 7l3 3-3 3"/><path d="M18 15H7M10 12l-3 3 3 3" opacity=".75"/></g></svg>`;
