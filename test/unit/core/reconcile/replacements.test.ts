import { describe, expect, test } from 'vitest';
import type { Contact } from '../../../../src/core/contact/contact.ts';
import type { Half } from '../../../../src/core/contact/half.ts';
import { bySide, otherSide, type Side, SIDES } from '../../../../src/core/contact/side.ts';
import type { Decision } from '../../../../src/core/reconcile/decision.ts';
import { gone, pairOf, planOf, present, record, snapshot, unpaired, values } from './support.ts';

const ADA: Partial<Contact> = { firstName: 'Ada', lastName: 'King', emailAddresses: values('ada@x.org') };

type Given = {
  /** The remaining half of the pair, and the base of both sides. */
  readonly remaining?: Partial<Contact>;
  readonly base?: Partial<Contact>;
  readonly added?: Partial<Contact>;
  readonly former?: Partial<Half>;
  readonly more?: Parameters<typeof planOf>[0];
};

/** The decisions if one half of a pair was deleted on `side`, and a contact without a pair is new there. */
const decide = (side: Side, { remaining = ADA, base = remaining, added = ADA, former = {}, more }: Given = {}) => {
  const last = { record: record('former', base), base: snapshot(base) };
  const half = {
    [side]: gone('former', { ...last, ...former }),
    [otherSide(side)]: present(record('remaining', remaining), snapshot(base)),
  };
  const newContacts = unpaired(side, record('added', added));
  const alone = bySide((each) => (each === side ? newContacts : []));
  return planOf({ pairs: [pairOf(half.left ?? null, half.right ?? null)], unpaired: alone, ...more }).decisions;
};

const kindsOf = (decisions: readonly Decision[]) => decisions.map(({ kind }) => kind).toSorted();

describe.each(SIDES)('[R12] a contact that is new at the %s side, where a half of a pair was deleted,', (side) => {
  const other = otherSide(side);

  test.each<[string, Given]>([
    ['shares an email address with it', {}],
    ['shares one, while the other was renamed', { remaining: { ...ADA, firstName: 'Eve' }, base: ADA, added: ADA }],
    ['shares a phone number', { remaining: { firstName: 'Ada', phoneNumbers: values('+4930123456') } }],
    ['has exactly the same content', { remaining: { firstName: 'Ada' } }],
  ])('replaces the former one if it %s', (_, given) => {
    const [decision, ...others] = decide(side, { added: given.remaining ?? ADA, ...given });
    expect(others).toEqual([]);
    expect(decision).toMatchObject({
      kind: 'merge',
      pair: { id: 1, [side]: { id: 'added' }, [other]: { id: 'remaining' } },
    });
  });

  test('keeps the values that both sides agreed on, each in its own spelling', () => {
    const [short, remaining] = [
      { ...ADA, title: 'Countess' },
      { ...ADA, title: 'Countess of Lovelace' },
    ];
    const former = { record: record('former', short), base: snapshot(short) };
    const [decision] = decide(side, { remaining, added: short, former });
    expect(decision).toMatchObject({ kind: 'merge', writes: [], conflicts: [] });
  });

  test('is not also reported as undecided if it replaces the former one', () => {
    const namesake = unpaired(other, record('namesake', { ...ADA, firstName: 'Bo' }));
    const half = { [side]: gone('former', { record: record('former', ADA), base: snapshot(ADA) }) };
    const pair = { ...half, [other]: present(record('remaining', ADA), snapshot(ADA)) };
    const { decisions, ambiguous } = planOf({
      pairs: [pairOf(pair.left ?? null, pair.right ?? null)],
      unpaired: bySide((each) => (each === side ? unpaired(side, record('added', ADA)) : namesake)),
    });
    expect([kindsOf(decisions), ambiguous]).toEqual([['create', 'merge'], []]);
  });

  test('replaces the former one also if deletions are kept', () => {
    expect(kindsOf(decide(side, { more: { policy: { deletes: 'keep' } } }))).toEqual(['merge']);
  });

  test.each<[string, Partial<Contact>]>([
    ['its address is another one', { ...ADA, emailAddresses: values('king@y.org') }],
    ['it has no address', { firstName: 'Ada', lastName: 'King' }],
  ])('is another person if only the name matches and %s', (_, added) => {
    expect(kindsOf(decide(side, { added }))).toEqual(['create', 'delete']);
  });

  test.each<[string, Partial<Contact>, Partial<Contact>]>([
    ['a spouse', { firstName: 'Martin', lastName: 'Weber' }, { firstName: 'Martina', lastName: 'Weber' }],
    ['a successor', { firstName: 'Ann', lastName: 'Leeson' }, { firstName: 'Bob', lastName: 'Rayner' }],
    ['without a name', { firstName: 'Ann', lastName: 'Leeson' }, {}],
    ['the card of a company', { firstName: 'Ann', lastName: 'Leeson' }, { company: 'Acme' }],
  ])('is another person if it shares the address and is %s', (_, former, added) => {
    const emailAddresses = values('desk@acme.test');
    const decisions = decide(side, { remaining: { ...former, emailAddresses }, added: { ...added, emailAddresses } });
    expect(kindsOf(decisions)).toEqual(['create', 'delete']);
  });

  test('is another person if a user keeps the two apart', () => {
    const ids = bySide((each) => (each === side ? 'added' : 'remaining'));
    const verdicts = [{ leftId: ids.left, rightId: ids.right, says: 'apart', atMs: 0 }] as const;
    expect(kindsOf(decide(side, { more: { verdicts } }))).toEqual(['create', 'delete']);
  });

  test('does not replace a contact that was merged into another one', () => {
    expect(kindsOf(decide(side, { former: { mergedInto: 'another' } }))).toEqual(['create', 'delete']);
  });

  test('is left unchanged, like the former one, if no side selects either', () => {
    expect(kindsOf(decide(side, { more: { selection: { selects: () => false } } }))).not.toContain('merge');
  });
});
