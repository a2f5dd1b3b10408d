/** The style of the pages about contacts, conflicts and settings; part of the style sheet of every page. */
export const CONTACT_STYLE = `
mark { background: var(--mark); color: inherit; border-radius: 0.2rem; padding: 0 0.15rem; }
:root { --mark: #ffe9a8; }
@media (prefers-color-scheme: dark) { :root { --mark: #5a4300; } }
.differs { color: var(--warn); font-size: 0.85rem; }
.timeline { list-style: none; margin: 0.5rem 0; padding: 0 0 0 1rem; border-left: 2px solid var(--line); }
.timeline > li { position: relative; padding: 0 0 1rem 0.5rem; overflow-wrap: anywhere; }
.timeline > li::before {
  content: ''; position: absolute; left: -1.45rem; top: 0.4rem; width: 0.7rem; height: 0.7rem;
  border-radius: 50%; background: var(--link);
}
.timeline p { margin: 0; }
.timeline ul { margin: 0.25rem 0; padding-left: 1.25rem; }
.timeline .when { color: var(--faint); }
.cards { list-style: none; margin: 0; padding: 0; }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: 0.75rem; }
.side { border: 1px solid var(--line); border-radius: 0.4rem; padding: 0.5rem 0.75rem; background: var(--ground); }
.side.kept { border: 2px solid var(--good); }
.cards h2 { margin: 0; font-size: 1.05rem; overflow-wrap: anywhere; }
.side h3 { margin: 0; font-size: 0.9rem; color: var(--faint); font-weight: 600; }
.side .value { margin: 0.25rem 0; font-size: 1.1rem; }
.good { color: var(--good); }
.settings { display: grid; grid-template-columns: repeat(auto-fit, minmax(16rem, 1fr)); gap: 0.75rem; align-items: start; }
.settings small { display: block; }
a.button {
  display: inline-block; padding: 0.4rem 0.9rem; border: 1px solid var(--button); border-radius: 0.4rem;
  background: var(--button); color: var(--on-button); text-decoration: none; min-height: 2.5rem;
}
details { margin: 0.5rem 0; }
`;

/** Searches while a person types in a form with `data-results`; without it the button of the form does. */
export const SEARCH_SCRIPT = `
const search = document.querySelector('form[data-results]');
if (search !== null) {
  let asked = new AbortController();
  let timer = 0;
  const show = async () => {
    asked.abort();
    asked = new AbortController();
    const address = search.action + '?' + new URLSearchParams(new FormData(search));
    const answer = await fetch(address, { signal: asked.signal });
    if (!answer.ok || answer.redirected) return;
    const found = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById(search.dataset.results);
    if (found === null) return;
    document.getElementById(search.dataset.results).replaceWith(found);
    for (const time of found.querySelectorAll('time')) showTime(time);
    history.replaceState(null, '', address);
  };
  search.addEventListener('input', () => {
    clearTimeout(timer);
    // A search that a later one replaced is not an error.
    timer = setTimeout(() => show().catch(() => undefined), 200);
  });
}
`;
