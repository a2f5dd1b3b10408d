import { SIDES, type Side, type Sides, type SideWords } from '../contact/side.ts';
import type { PlannedAction } from '../reconcile/actions.ts';
import { howToJoinPlanned } from '../sync/rivals.ts';
import type { Estimate } from '../sync/run.ts';
import type { LinkPlan } from './plan.ts';
import { formatTable } from './table.ts';
import type { Terminal } from './terminal.ts';
import { fieldWords } from './field-words.ts';
import { count, formatEstimate, grouped } from './words.ts';

/** Longer groups are cut in the text; the JSON has them whole. */
const ROWS_SHOWN = 20;

const toRow = (action: PlannedAction): readonly string[] => {
  if ('name' in action) return [action.name];
  return [action.leftId ?? '-', action.rightId ?? '-', action.fields.map(fieldWords).join(', ')];
};

const formatGroup = (name: string, actions: readonly PlannedAction[]): string => {
  const rows = actions.slice(0, ROWS_SHOWN).map(toRow);
  const hidden = actions.length - rows.length;
  const more = hidden > 0 ? [`    ... and ${hidden} more (--json has them all)`] : [];
  return [`  ${name}: ${grouped(actions.length)}`, formatTable(rows, { indent: '    ' }), ...more].join('\n');
};

const formatSide = (side: Side, title: string, actions: readonly PlannedAction[]): readonly string[] => {
  const own = actions.filter((action) => action.side === side && action.action !== 'pair');
  if (own.length === 0) return [];
  const groups = Map.groupBy(own, (action) => action.action);
  return [`At ${title}`, ...[...groups].map(([name, group]) => formatGroup(name, group))];
};

type Unpaired = NonNullable<LinkPlan['ambiguous']>;

const formatUnpaired = (all: Unpaired, sides: Sides<SideWords>): readonly string[] =>
  [...Map.groupBy(all, ({ why }) => why)].map(([why, rivals]) => {
    const shown = rivals.slice(0, ROWS_SHOWN).map(({ leftIds, rightIds }) => [leftIds.join(', '), rightIds.join(', ')]);
    const hidden = rivals.length - shown.length;
    const more = hidden > 0 ? [`  ... and ${hidden} more (--json has them all)`] : [];
    const title = `Left unpaired: ${why}: ${grouped(rivals.length)}`;
    return [title, formatTable(shown, { indent: '  ' }), ...more, `  ${howToJoinPlanned(why, sides)}`].join('\n');
  });

/** How long a sync would take; nothing where nothing is written. */
const formatTime = ({ requests, durationMs }: Estimate, sides: Sides<SideWords>): readonly string[] => {
  const asked = SIDES.filter((side) => requests[side] > 0);
  if (asked.length === 0) return [];
  const parts = asked.map((side) => `${count(requests[side], 'request')} to ${sides[side].title}`);
  return [`  takes about ${parts.join(' and ')}: ${formatEstimate(durationMs)} by the rate limits`];
};

/** A plan for people, by side and action. */
export const formatPlan = (
  { link, kind, actions, ambiguous = [], estimate, halted, error }: LinkPlan,
  sides: Sides<SideWords>,
  terminal: Pick<Terminal, 'style'>,
): string => {
  const name = terminal.style('bold', link);
  if (error !== undefined) return `${name}: ${terminal.style('red', 'could not be planned')}`;
  const halt = halted === null ? '' : `, ${terminal.style('yellow', `would halt: ${halted.reason}`)}`;
  const title = `${name}: ${kind}, ${actions.length === 0 ? 'nothing to do' : count(actions.length, 'action')}${halt}`;
  const pairs = actions.filter((action) => action.action === 'pair');
  const pairing = pairs.length === 0 ? [] : ['On both sides', formatGroup('pair', pairs)];
  const bySide = SIDES.flatMap((side) => formatSide(side, sides[side].title, actions));
  const time = estimate === undefined ? [] : formatTime(estimate, sides);
  return [title, ...time, ...pairing, ...bySide, ...formatUnpaired(ambiguous, sides)].join('\n');
};
