import type { LinkConfig } from '../app/config/config.ts';
import { inWordsOf } from '../core/contact/side.ts';
import { listDuplicates } from '../engine/history/duplicates.ts';
import type { DuplicatesView } from '../core/view/views.ts';
import { whyWords } from '../core/view/why-words.ts';
import { count } from '../core/view/words.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { NAME_COLUMNS, shorten } from './shorten.ts';
import { layoutOf, type Terminal } from './terminal.ts';
import { withApp, type CommonOptions } from './with-app.ts';
import { inLine, wrap, type Layout } from './wrap.ts';

type LinkDuplicates = { readonly link: LinkConfig; readonly groups: readonly DuplicatesView[] };

/** As the README documents it, in the words of the link. */
const toJson = ({ link, groups }: LinkDuplicates): unknown => {
  const own = groups.map(({ id, side, members, why }) => ({
    id,
    side,
    contacts: members.map(({ id: contact, name, isLinked }) => ({ id: contact, name, linked: isLinked })),
    why: why.map((each) => whyWords(each, link.sides)),
  }));
  return { link: link.name, groups: inWordsOf(link.sides, own) };
};

const formatGroup = ({ id, members, why }: DuplicatesView, { sides }: LinkConfig, layout: Layout): string => {
  const named = members.map((member) => `${shorten(member.name ?? 'no name', NAME_COLUMNS)} (${member.id})`);
  const reasons = why.map((each) => inLine(whyWords(each, sides)));
  const title = [layout.style('bold', id), ...reasons].join(', ');
  return [wrap(title, '  ', layout.width), ...named.map((each) => wrap(each, '    ', layout.width))].join('\n');
};

const formatLink = ({ link, groups }: LinkDuplicates, layout: Layout): string => {
  const title = `${layout.style('bold', link.name)}: ${groups.length === 0 ? 'no duplicates' : count(groups.length, 'group')}`;
  const bySide = Map.groupBy(groups, ({ side }) => side);
  const sections = [...bySide].flatMap(([side, own]) => [
    `Likely duplicates at ${link.sides[side].place}: ${own.length}`,
    ...own.map((group) => formatGroup(group, link, layout)),
  ]);
  return [title, ...sections].join('\n');
};

/** `duplicates [LINK]`: likely duplicates within one side, as of the last run. */
export const duplicates = (
  terminal: Terminal,
  linkName: string | undefined,
  options: CommonOptions,
): Promise<ExitCode> =>
  withApp(terminal, linkName, options, async ({ app, links }) => {
    const found: LinkDuplicates[] = [];
    for (const link of links) found.push({ link, groups: await listDuplicates(app.store, link.name) });
    if (options.json) terminal.print(JSON.stringify({ links: found.map(toJson) }));
    else terminal.print(found.map((one) => formatLink(one, layoutOf(terminal))).join('\n\n'));
    return EXIT.done;
  });
