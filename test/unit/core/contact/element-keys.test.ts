import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FURTHER, LIST_FIELDS, listsOf, specOf, type ListField } from '../../../../src/core/contact/contact.ts';
import { POSTAL_ADDRESS, type LabelledValue, type PostalAddress } from '../../../../src/core/contact/elements.ts';
import type { ListElement } from '../../../../src/core/contact/keys.ts';
import { elementKey, unitedElement } from '../../../../src/core/contact/lists.ts';
import { foldGroupName } from '../../../../src/core/reconcile/policy.ts';
import { mergeList } from '../../../../src/core/reconcile/merge.ts';
import { withList } from '../../../../src/core/contact/lists.ts';
import { EMPTY_CONTACT } from '../../../../src/core/contact/contact.ts';
import { sideOf } from '../reconcile/properties-support.ts';

const SPEC = readFileSync(join(import.meta.dirname, '../../../../src/core/SPEC.md'), 'utf8');

const ALL_LISTS: readonly ListField[] = [...LIST_FIELDS, ...listsOf(FURTHER)];

const unescaped = (text: string): string =>
  text.replace(/\\u([\dA-F]{4})/gu, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)));

const addressOf = (text: string): PostalAddress => {
  const [street = '', city = '', region = '', postalCode = '', country = ''] = text
    .split(';')
    .map((part) => part.trim());
  return { ...POSTAL_ADDRESS.empty, street, city, region, postalCode, country };
};

const valueOf = (text: string): LabelledValue => {
  const [, value = text, label = null] = /^(.*) \(([^()]*)\)$/u.exec(text) ?? [];
  return { value, label };
};

/** The key of an example of the table. */
const keyOf = (words: string, example: string): string => {
  const text = unescaped(example);
  if (words === 'group names') return foldGroupName(text);
  const field = ALL_LISTS.find((each) => specOf(each).words === words);
  if (field === undefined) throw new Error(`no list field is called ${words}`);
  if (field === 'addresses') return elementKey(field, addressOf(text));
  return elementKey(field, field === 'tags' ? { value: text, label: null } : valueOf(text));
};

const rowsOf = (spec: string): readonly (readonly string[])[] => {
  const table = spec.slice(spec.indexOf('| elements of | rule |'), spec.indexOf('Across sides, a national'));
  return table
    .trim()
    .split('\n')
    .slice(2)
    .map((row) => row.split(' | ').map((cell) => cell.replace(/^\| | \|$/gu, '')));
};

const ROWS = rowsOf(SPEC);

const EXAMPLES = ROWS.flatMap(([words = '', , one = '', two = '']) =>
  [...`${one} ${two}`.matchAll(/`([^`]*)` ([=≠]) `([^`]*)`/gu)].map(([, a = '', sign = '', b = '']) => ({
    words,
    a,
    sign,
    b,
  })),
);

describe('the table of element keys', () => {
  test('has a row with both kinds of examples for every list field of the registry', () => {
    const named = ALL_LISTS.map((field) => specOf(field).words);
    expect(new Set(ROWS.map(([words]) => words))).toEqual(new Set([...named, 'group names']));
    for (const words of named) {
      expect(new Set(EXAMPLES.filter((each) => each.words === words).map(({ sign }) => sign))).toEqual(
        new Set(['=', '≠']),
      );
    }
  });

  test.each(EXAMPLES)('R5: $words: $a $sign $b', ({ words, a, sign, b }) => {
    expect(keyOf(words, a) === keyOf(words, b)).toBe(sign === '=');
  });
});

// The oracle: the collation of the Unicode standard compares letters, digits, signs and emoji, and ignores case and
// invisible characters. It shares no code with the keys.
const collator = new Intl.Collator('und', { sensitivity: 'accent' });
const visibly = (a: string, b: string): boolean => collator.compare(a, b) !== 0;

const PIECES = [
  'a',
  'B',
  'b',
  'é',
  '1',
  '2',
  '+',
  '#',
  '-',
  '.',
  '/',
  '&',
  '@',
  '*',
  '_',
  '!',
  '?',
  '🙂',
  '🎉',
  '❤',
  '山',
];
const text = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(''));
const type = fc.constantFrom(null, 'skype', 'icq', 'spouse', 'sister', 'Skype');

/** Returns whether a list loses data if only the other one of the two elements stays. */
const differ: Partial<Record<ListField, (a: LabelledValue, b: LabelledValue) => boolean>> = {
  tags: (a, b) => visibly(a.value, b.value),
  relations: (a, b) => visibly(a.value, b.value) || visibly(a.label ?? '', b.label ?? ''),
  instantMessengers: (a, b) => visibly(a.value, b.value) || visibly(a.label ?? '', b.label ?? ''),
};

const isMissedIn = (field: ListField, elements: readonly ListElement[], element: LabelledValue): boolean => {
  const isDifferent = differ[field] ?? (() => true);
  return elements.every((each) => !('value' in each) || isDifferent(each, element));
};

describe.each(Object.keys(differ) as ListField[])('a union of two lists of %s', (field) => {
  const list = fc.array(fc.record({ value: text, label: field === 'tags' ? fc.constant(null) : type }), {
    maxLength: 5,
  });
  const spec = specOf(field);

  test('R5: contains every element whose loss a reader would notice', () => {
    fc.assert(
      fc.property(list, list, (one, other) => {
        const left = withList(EMPTY_CONTACT, field, spec.normalise(one));
        const right = withList(EMPTY_CONTACT, field, spec.normalise(other));
        const delta = mergeList(field, { left: sideOf(left, null), right: sideOf(right, null) });
        for (const [own, { add, remove }] of [
          [left, delta.left],
          [right, delta.right],
        ] as const) {
          const held = (own[field] ?? []) as readonly ListElement[];
          const union = [...held.filter((element) => !remove.includes(element)), ...add];
          for (const element of [...one, ...other]) {
            // An element without its type is part of the one with the type.
            const typed = element.label === null ? union.filter((each) => !visibly(textOf(each), element.value)) : [];
            if (typed.length === 0) expect(isMissedIn(field, union, element)).toBe(false);
          }
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

const textOf = (element: ListElement): string => ('value' in element ? element.value : element.street);

describe('R13: two elements that are the same', () => {
  const FULL = addressOf('12 Elm Street; Springfield; IL; 62704; United States');

  test.each([
    ['country', '12 Elm St; Springfield; IL; 62704'],
    ['region and country', '12 Elm Street; Springfield; ; 62704'],
    ['all but the street and the town', '12 ELM STREET; Springfield'],
  ])('an address without %s matches the fuller one', (_, bare) => {
    expect(unitedElement('addresses', FULL, addressOf(bare))).toEqual(FULL);
    const united = unitedElement('addresses', addressOf(bare), FULL);
    expect(united).not.toBeNull();
    if (united !== null) expect(elementKey('addresses', united)).toBe(elementKey('addresses', FULL));
  });

  test('two addresses that each lack another part match one with all parts', () => {
    const united = unitedElement('addresses', addressOf('5 Elm St; Rye; NY'), addressOf('5 Elm St; Rye; ; 10580'));
    expect(united).toEqual(addressOf('5 Elm St; Rye; NY; 10580'));
  });

  test.each([
    ['5 Elm St; Rye; NY', '5 Elm St; Rye; CT'],
    ['5 Elm St; Rye', '7 Elm St; Rye'],
    ['; Rye', '5 Elm St; Rye'],
  ])('%s and %s differ', (a, b) => {
    expect(unitedElement('addresses', addressOf(a), addressOf(b))).toBeNull();
  });

  test.each([
    ['instantMessengers', 'ann', 'ann (icq)', 'ann (icq)'],
    ['relations', 'Anna (sister)', 'anna', 'Anna (sister)'],
    ['socialProfiles', '@ann (profile)', '@ann (x)', '@ann (x)'],
  ] as const)('%s: %s and %s are %s', (field, own, other, united) => {
    expect(unitedElement(field, valueOf(own), valueOf(other))).toEqual(valueOf(united));
  });

  test('two networks, and different names, differ', () => {
    expect(unitedElement('instantMessengers', valueOf('ann (icq)'), valueOf('ann (skype)'))).toBeNull();
    expect(unitedElement('instantMessengers', valueOf('ann'), valueOf('bob (skype)'))).toBeNull();
  });
});
