import { isPresent, type Half } from '../contact/half.ts';
import { contradicts, emailEdges, likelyEdges, namesakeEdges, phoneEdges, type Edge } from './match-evidence.ts';
import { personReader, type MatchablePerson } from './matchable-person.ts';

/** The largest number of namesakes that are compared with each other. In larger groups an equal name is no evidence. */
const MOST_NAMESAKES = 20;

/** Returns an edge for each two contacts with the same full name and no contradicting values. */
const bareNamesakes = (people: readonly MatchablePerson[]): readonly Edge[] =>
  [...Map.groupBy(people, ({ name }) => name)].flatMap(([name, own]) => {
    if (name === '' || own.length > MOST_NAMESAKES) return [];
    return own.flatMap((left, index) =>
      own.slice(index + 1).flatMap((right) => (contradicts(left, right) ? [] : [{ left, right, score: 0 }])),
    );
  });

const idOf = ({ record }: MatchablePerson): string => record.id;

const byId = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Returns one key for two contacts, independent of their order. */
const pairKey = (a: MatchablePerson, b: MatchablePerson): string => [idOf(a), idOf(b)].toSorted(byId).join('\n');

/** Returns the evidence that two contacts of one side are the same person: strongest first, one edge for each two contacts. */
const edgesAmong = (people: readonly MatchablePerson[]): readonly Edge[] => {
  const all = new Set(people);
  const sets = { left: all, right: all };
  const strong = [...emailEdges(sets), ...phoneEdges(sets), ...namesakeEdges(sets)];
  const found = [...strong, ...likelyEdges(sets), ...bareNamesakes(people)];
  const edges = new Map<string, Edge>();
  for (const edge of found) {
    const key = pairKey(edge.left, edge.right);
    const known = edges.get(key);
    if (edge.left !== edge.right && (known === undefined || known.score < edge.score)) edges.set(key, edge);
  }
  return [...edges]
    .toSorted(([a, first], [b, second]) => second.score - first.score || byId(a, b))
    .map(([, edge]) => edge);
};

/**
 * Returns the contacts of one side that are likely the same person, by the evidence of first matching (R13), in groups of two or
 * more. Each two contacts of a group must match: J. Smith matches John and Jane, but John and Jane do not match. No contact is in
 * two groups. The order of groups and members does not depend on the input order. Pure.
 */
export const findDuplicates = (halves: readonly Half[]): readonly (readonly Half[])[] => {
  const people = halves.filter(isPresent).map(personReader([]));
  const edges = edgesAmong(people);
  const agree = new Set(edges.map(({ left, right }) => pairKey(left, right)));
  const groupOf = new Map<MatchablePerson, Set<MatchablePerson>>();
  for (const { left, right } of edges) {
    const [one, other] = [groupOf.get(left) ?? new Set([left]), groupOf.get(right) ?? new Set([right])];
    const isOne = [...one].every((a) => [...other].every((b) => a === b || agree.has(pairKey(a, b))));
    if (one === other || !isOne) continue;
    for (const person of other) one.add(person);
    for (const person of one) groupOf.set(person, one);
  }
  return [...new Set(groupOf.values())]
    .map((group) => [...group].toSorted((a, b) => byId(idOf(a), idOf(b))).map(({ half }) => half))
    .toSorted(([a], [b]) => byId(a?.id ?? '', b?.id ?? ''));
};
