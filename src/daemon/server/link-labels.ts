import type { LinkConfig } from '../../app/config/config.ts';
import { SIDES, type Side } from '../../core/contact/side.ts';

/** So many links have series of their own; the label of the others is {@link OTHER}. */
const MOST_NAMED = 50;

/** The label of all links beyond the first ones, of one that is called so, and of sides that are called as none of theirs. */
export const OTHER = 'other';

/** Which values the labels `link` and `side` have: few, however many links there are. */
export type LinkLabels = {
  /** The links with series of their own. */
  readonly named: ReadonlySet<string>;
  /** The labels of each side of a link that is configured. */
  readonly sides: readonly { readonly link: string; readonly side: string }[];
  isKnown(link: string): boolean;
  link(name: string): string;
  side(link: string, side: Side): string;
};

/** The labels for these links, of which the first have their own. */
export const labelsFor = (links: readonly Pick<LinkConfig, 'name' | 'sides'>[]): LinkLabels => {
  const byName = new Map(links.map((link) => [link.name, link]));
  const first = links.slice(0, MOST_NAMED);
  const named = new Set(first.map(({ name }) => name));
  const sideNames = new Set(first.flatMap(({ sides }) => SIDES.map((side) => sides[side].name)));
  const labelOf = (name: string): string => (named.has(name) ? name : OTHER);
  const sideLabelOf = (link: string, side: Side): string => {
    const name = byName.get(link)?.sides[side].name;
    return name !== undefined && sideNames.has(name) ? name : OTHER;
  };
  return {
    named,
    sides: links.flatMap(({ name }) => SIDES.map((side) => ({ link: labelOf(name), side: sideLabelOf(name, side) }))),
    isKnown: (link) => byName.has(link),
    link: labelOf,
    side: sideLabelOf,
  };
};
