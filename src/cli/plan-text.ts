import { SIDES, type Sides, type SideWords } from '../core/contact/side.ts';
import { plannedRemedy } from '../engine/ambiguous.ts';
import type { Estimate } from '../engine/run.ts';
import type { Unpaired } from '../core/view/views.ts';
import type { Shown } from '../core/view/change-filter.ts';
import { formatChanges, formatHidden, NO_MATCH } from './change-text.ts';
import type { LinkPlan } from './plan.ts';
import { count, formatEstimate, grouped } from '../core/view/words.ts';
import { NAME_COLUMNS, shorten } from './shorten.ts';
import { wrap, type Layout } from './wrap.ts';

/** Rows of a list that are shown without `--all`. */
const ROWS_SHOWN = 20;

const formatRivals = (unpaired: Unpaired, sides: Sides<SideWords>): string =>
  SIDES.map((side) => {
    const rivals = unpaired[side].map(({ id, name }) =>
      name === null ? id : `${shorten(name, NAME_COLUMNS)} (${id})`,
    );
    return `at ${sides[side].place} ${rivals.join(', ')}`;
  }).join('; ');

/** Pairs of candidates of one row that are shown without `--all`. */
const PAIRS_SHOWN = 6;

/** A text that a shell takes as one word and not as an option; ids come from a remote. */
const IS_PLAIN = /^[\w.@:/][\w.@:/-]*$/u;

/** The command that pairs two of the contacts, for each two that may be one person. */
const pairCommands = ({ left, right }: Unpaired, { link, isOnly }: Pick<LinkPlan, 'link' | 'isOnly'>, all: boolean) => {
  const name = isOnly ? '' : ` ${link}`;
  const ids = (rivals: Unpaired['left']) => rivals.flatMap(({ id }) => (IS_PLAIN.test(id) ? [id] : []));
  const commands = ids(left).flatMap((one) => ids(right).map((other) => `contact-sync pair ${one} ${other}${name}`));
  const shown = all ? commands : commands.slice(0, PAIRS_SHOWN);
  return [...shown.map((command) => `    ${command}`), ...formatHidden(commands.length - shown.length)];
};

const formatUnpaired = (
  { unpaired: all, ...named }: LinkPlan,
  sides: Sides<SideWords>,
  shown: Pick<Shown, 'all'>,
  { width }: Layout,
): readonly string[] =>
  [...Map.groupBy(all, ({ why }) => why)].flatMap(([why, rivals]) => {
    const listed = shown.all ? rivals : rivals.slice(0, ROWS_SHOWN);
    return [
      `Not paired: ${why}: ${grouped(rivals.length)}`,
      ...listed.flatMap((each) => [
        wrap(formatRivals(each, sides), '  ', width),
        ...pairCommands(each, named, shown.all ?? false),
      ]),
      ...formatHidden(rivals.length - listed.length),
      wrap(plannedRemedy(why, sides), '  ', width),
    ];
  });

/** The estimated requests and time of a sync; no line if nothing is written. */
const formatTime = ({ requests, durationMs }: Estimate, sides: Sides<SideWords>): readonly string[] => {
  const asked = SIDES.filter((side) => requests[side] > 0);
  if (asked.length === 0) return [];
  const parts = asked.map((side) => `${count(requests[side], 'request')} to ${sides[side].title}`);
  return [`  about ${parts.join(' and ')}, ${formatEstimate(durationMs)} with the rate limits`];
};

/** A plan for people, grouped by action. */
export const formatPlan = (
  plan: LinkPlan,
  sides: Sides<SideWords>,
  shown: Pick<Shown, 'all'>,
  layout: Layout,
): string => {
  const { link, kind, actions, total, estimate, halted, error } = plan;
  const name = layout.style('bold', link);
  if (error !== undefined) return `${name}: ${layout.style('red', 'not planned')}`;
  const halt = halted === null ? '' : `, ${layout.style('yellow', `would halt: ${halted.reason}`)}`;
  const title = `${name}: ${kind}, ${total === 0 ? 'nothing to do' : count(total, 'action')}${halt}`;
  const time = estimate === undefined ? [] : formatTime(estimate, sides);
  const isFiltered = total > 0 && actions.length === 0;
  const changes = isFiltered ? [NO_MATCH] : formatChanges(actions, sides, shown, layout);
  return [title, ...time, ...changes, ...formatUnpaired(plan, sides, shown, layout)].join('\n');
};
