/** The style sheet of every page. Colours have a contrast of at least 4.5 to 1, light and dark. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #ffffff; --panel: #f4f5f7; --text: #1b1f24; --faint: #51575f; --line: #c9ced6;
  --link: #0a4fa3; --button: #0a4fa3; --on-button: #ffffff; --good: #17602f; --bad: #a31621; --warn: #7a4b00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171b; --panel: #1e2329; --text: #e8eaed; --faint: #b3bac3; --line: #444c56;
    --link: #8ab8ff; --button: #8ab8ff; --on-button: #0c1a2e; --good: #7fd89a; --bad: #ff9a9f; --warn: #f2c063;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
header, main, footer { max-width: 70rem; margin: 0 auto; padding: 0.75rem 1rem; }
header { display: flex; flex-wrap: wrap; gap: 0.5rem 1.25rem; align-items: center; border-bottom: 1px solid var(--line); }
header form { margin-left: auto; }
header strong { white-space: nowrap; }
nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; list-style: none; margin: 0; padding: 0; }
a { color: var(--link); }
a[aria-current] { color: var(--text); font-weight: 600; }
a:focus-visible, button:focus-visible, input:focus-visible, select:focus-visible, summary:focus-visible {
  outline: 3px solid var(--link); outline-offset: 2px;
}
.skip { position: absolute; left: -100rem; }
.skip:focus { position: static; }
h1 { font-size: 1.5rem; margin: 0.75rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 1.5rem 0 0.5rem; }
h3 { font-size: 1rem; margin: 0 0 0.25rem; overflow-wrap: anywhere; }
p { margin: 0.5rem 0; max-width: 45rem; overflow-wrap: anywhere; }
.panel { background: var(--panel); border: 1px solid var(--line); border-radius: 0.5rem; padding: 0.75rem 1rem; margin: 0.75rem 0; }
.notice { border-left: 0.3rem solid var(--link); }
.trouble { border-left: 0.3rem solid var(--bad); }
.faint { color: var(--faint); }
.active, .completed, .done { color: var(--good); }
.halted, .stopped, .running { color: var(--warn); }
.paused, .failing, .failed { color: var(--bad); }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: 0.15rem 1rem; margin: 0; }
.facts dt { color: var(--faint); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.changes { list-style: none; margin: 0; padding: 0; }
.changes li { border-top: 1px solid var(--line); padding: 0.5rem 0; overflow-wrap: anywhere; }
.changes ul { margin: 0.25rem 0 0; padding-left: 1.25rem; }
.changes ul li { border: 0; padding: 0; }
.actions { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: end; margin: 0.75rem 0; }
.actions form { margin: 0; }
button {
  font: inherit; padding: 0.4rem 0.9rem; border: 1px solid var(--button); border-radius: 0.4rem;
  background: var(--button); color: var(--on-button); cursor: pointer; min-height: 2.5rem;
}
button.quiet { background: transparent; color: var(--link); }
button.danger { background: var(--bad); border-color: var(--bad); color: var(--ground); }
input, select {
  font: inherit; padding: 0.4rem 0.6rem; border: 1px solid var(--faint); border-radius: 0.4rem;
  background: var(--ground); color: var(--text); min-height: 2.5rem; max-width: 100%;
}
label { display: block; font-weight: 600; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; color: var(--faint); }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.75rem 0.4rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
.chart { display: block; width: 100%; max-width: 40rem; height: 4rem; }
.chart rect { fill: currentColor; }
progress { width: 100%; max-width: 40rem; height: 1rem; }
@media (max-width: 40rem) {
  table, thead, tbody, tr, th, td, caption { display: block; }
  thead { position: absolute; left: -100rem; }
  tr { border-top: 1px solid var(--line); padding: 0.4rem 0; }
  th, td { border: 0; padding: 0.1rem 0; }
  td[data-label]::before, th[data-label]::before { content: attr(data-label) ': '; color: var(--faint); font-weight: 400; }
  .facts { grid-template-columns: 1fr; }
  .facts dd { margin-bottom: 0.4rem; }
}
`;

/** What pages do besides: times in the reader's zone, and how far a run is. Without it both are there as plain text. */
export const SCRIPT = `
const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const showTime = (time) => {
  time.title = time.dateTime;
  time.textContent = format.format(new Date(time.dateTime));
};
document.querySelectorAll('time').forEach(showTime);
const live = document.querySelector('[data-live]');
if (live !== null) {
  const source = new EventSource(live.dataset.live);
  const bar = live.querySelector('progress');
  // Loading the page again would hold back a reader who is on the way to another one.
  addEventListener('beforeunload', () => source.close());
  source.addEventListener('progress', ({ data }) => {
    const { text, done, total } = JSON.parse(data);
    live.querySelector('p').textContent = text;
    if (total > 0) Object.assign(bar, { max: total, value: done });
  });
  source.addEventListener('over', () => {
    source.close();
    location.reload();
  });
}
`;
