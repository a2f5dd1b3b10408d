import { html } from 'hono/html';
import type { LinkConfig } from '../../config/config.ts';
import { SYNCED_FIELDS, type Contact } from '../../contact/contact.ts';
import { SIDES, type Side } from '../../contact/side.ts';
import { howToJoinPlanned } from '../../sync/rivals.ts';
import type { Shown } from '../../view/change-filter.ts';
import { fieldWords } from '../../view/field-words.ts';
import { valuesOf } from '../../view/values.ts';
import type { Change, Unpaired } from '../../view/views.ts';
import { count, formatEstimate, grouped } from '../../view/words.ts';
import { changeSections, filterForm, valuesText } from '../change-list.ts';
import type { Planning, PlanView, Progress } from '../desk.ts';
import { button, page, table, timeTag, type Html, type PageContext } from '../layout.ts';
import { linkPath, navOf } from '../paths.ts';
import { liveSection } from './parts.ts';

const UNPAIRED_SHOWN = 100;
const NO_GROUPS = new Map<string, string>();

const valueOf = (contact: Contact | undefined, field: (typeof SYNCED_FIELDS)[number]): string => {
  if (contact === undefined) return '';
  const values = valuesOf({ contact, groupIds: [] }, field, NO_GROUPS);
  return values.length === 0 ? '' : valuesText(values);
};

/** Contacts beside each other, field by field. */
const sideBySide = (caption: string, titles: readonly string[], contacts: readonly (Contact | undefined)[]): Html => {
  const rows = SYNCED_FIELDS.flatMap((field) => {
    const values = contacts.map((contact) => valueOf(contact, field));
    return values.every((value) => value === '') ? [] : [[fieldWords(field), ...values]];
  });
  return table(caption, ['Field', ...titles], rows);
};

const pairOf = (change: Change, { sides }: LinkConfig, { contacts }: PlanView): Html => {
  if (change.action !== 'pair') return html``;
  const { leftId, rightId } = change;
  const titles = SIDES.map((side) => sides[side].title);
  return html`<details>
    <summary>Both contacts side by side</summary>
    ${sideBySide('The two contacts that become one', titles, [
      contacts.get(`left ${leftId}`),
      contacts.get(`right ${rightId}`),
    ])}
  </details>`;
};

const rivals = ({ left, right, why }: Unpaired, { sides }: LinkConfig, { contacts }: PlanView): Html => {
  const of = { left, right };
  const candidates = SIDES.flatMap((side: Side) => of[side].map((each) => ({ side, ...each })));
  const names = [...new Set(candidates.map(({ id, name }) => name ?? id))];
  const titles = candidates.map(({ side, name, id }) => `${sides[side].title}: ${name ?? id}`);
  const found = candidates.map(({ side, id }) => contacts.get(`${side} ${id}`));
  return html`<li>
    <h3>${names.join(', ')}</h3>
    <span class="faint">${howToJoinPlanned(why, sides)}</span>
    <details>
      <summary>The candidates side by side</summary>
      ${sideBySide('Contacts that may be one person', titles, found)}
    </details>
  </li>`;
};

const unpairedSection = (link: LinkConfig, view: PlanView): Html => {
  const { unpaired } = view;
  if (unpaired.length === 0) return html``;
  const hidden = unpaired.length - Math.min(unpaired.length, UNPAIRED_SHOWN);
  return html`<section>
    <h2>Left unpaired: ${grouped(unpaired.length)}</h2>
    <ul class="changes">
      ${unpaired.slice(0, UNPAIRED_SHOWN).map((each) => rivals(each, link, view))}
    </ul>
    ${hidden === 0 ? '' : html`<p class="faint">And ${grouped(hidden)} more; the command plan lists them all.</p>`}
  </section>`;
};

const estimateText = ({ estimate: { requests, durationMs } }: PlanView, { sides }: LinkConfig): string => {
  const parts = SIDES.flatMap((side) =>
    requests[side] === 0 ? [] : [`${count(requests[side], 'request')} to ${sides[side].title}`],
  );
  return parts.length === 0 ? '' : `It takes about ${parts.join(' and ')}: ${formatEstimate(durationMs)}.`;
};

const acceptButton = (context: PageContext, link: LinkConfig, { digest, halt, changes }: PlanView): Html =>
  changes.length === 0 && halt === null
    ? html``
    : button(context, {
        action: `${linkPath(link.name, '/plan')}/accept`,
        label: halt === null ? 'Do this' : 'Accept this plan, deletions included',
        fields: { plan: digest },
        ...(halt !== null && { look: 'danger' as const }),
      });

const planned = (context: PageContext, link: LinkConfig, view: PlanView, shown: Shown): readonly Html[] => {
  const { changes, halt, kind, atMs } = view;
  const again = button(context, {
    action: linkPath(link.name, '/plan'),
    label: 'Plan again',
    look: 'quiet',
    shows: true,
  });
  return [
    html`<p>
      ${changes.length === 0 ? 'Nothing to do: both sides are in step.' : `${count(changes.length, 'change')}, ${kind}.`}
      ${estimateText(view, link)} <span class="faint">Planned ${timeTag(atMs)}.</span>
    </p>`,
    halt === null ? html`` : html`<p class="panel trouble">A run stops here, and writes nothing: ${halt}</p>`,
    html`<div class="actions">${acceptButton(context, link, view)} ${again}</div>`,
    changes.length === 0 ? html`` : filterForm(linkPath(link.name, '/plan'), shown),
    ...changeSections(changes, link.sides, shown, (change) => pairOf(change, link, view)),
    unpairedSection(link, view),
  ];
};

const body = (context: PageContext, link: LinkConfig, planning: Planning | null, shown: Shown): readonly Html[] => {
  const make = (label: string): Html =>
    html`<div class="actions">${button(context, { action: linkPath(link.name, '/plan'), label, shows: true })}</div>`;
  switch (planning?.state) {
    case undefined:
      return [
        html`<p>
          A plan shows what the next run would do, with names, and writes nothing. Both accounts are read for it.
        </p>`,
        make('Plan now'),
      ];
    case 'planning':
    case 'checking':
      return [];
    case 'accepted':
      return [
        html`<p class="panel notice">The plan is accepted. <a href="${linkPath(link.name)}">See how far it is.</a></p>`,
        make('Plan again'),
      ];
    case 'failed':
      return [html`<p class="panel trouble">${planning.message}</p>`, make('Plan again')];
    case 'planned':
      return [
        planning.note === null ? html`` : html`<p class="panel notice" role="status">${planning.note}</p>`,
        ...planned(context, link, planning.view, shown),
      ];
  }
};

/** What the next run would do, and the button that has it done. */
export const planPage = (
  context: PageContext,
  link: LinkConfig,
  of: { readonly planning: Planning | null; readonly progress: Progress | null; readonly shown: Shown },
): Html => {
  const isWorking = of.planning?.state === 'planning' || of.planning?.state === 'checking';
  return page(context, {
    title: `Plan of ${link.name}`,
    nav: navOf(link, '/plan'),
    isLive: isWorking,
    body: [isWorking ? liveSection(link.name, of.progress) : html``, ...body(context, link, of.planning, of.shown)],
  });
};
