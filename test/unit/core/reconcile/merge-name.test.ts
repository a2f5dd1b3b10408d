import { describe, expect, test } from 'vitest';
import { SIDES } from '../../../../src/core/contact/side.ts';
import { mergeHalves } from '../../../../src/core/reconcile/merge.ts';
import { bothSides, policyWith, sideOf, values } from './support.ts';

/** A name as `First/Last`. */
type Name = string;

const fieldsOf = (name: Name) => {
  const [firstName = '', lastName = ''] = name.split('/');
  return { firstName, lastName, emailAddresses: values('ann@x.example'), phoneNumbers: values('+49 30 5550123') };
};

type Given = { readonly base: Name | null; readonly left: Name; readonly right: Name };

const mergeNames = ({ base, left, right }: Given, policy = policyWith()) => {
  const half = (now: Name) => sideOf(fieldsOf(now), base === null ? null : fieldsOf(base));
  const merged = mergeHalves(bothSides(half(left), half(right)), policy);
  const names = SIDES.map((side) => `${merged.desired[side].firstName}/${merged.desired[side].lastName}`);
  return { names: [...new Set(names)], conflicts: merged.conflicts, localFields: merged.localFields };
};

describe("R4: a person's name wins over an address in its place, whichever is newer", () => {
  test.each<Given & { readonly name: Name }>([
    { base: null, left: 'ann@x.example/', right: 'Ann/Lee', name: 'Ann/Lee' },
    { base: null, left: 'Ann/Lee', right: '+49 30 5550123/', name: 'Ann/Lee' },
    { base: null, left: '/ann@x.example', right: 'Ann/', name: 'Ann/' },
    { base: 'Ann/', left: 'ann@x.example/', right: 'Ann/Lee', name: 'Ann/Lee' },
    { base: 'Ann/Lee', left: 'ann@x.example/', right: 'Ann/Lee', name: 'Ann/Lee' },
  ])('$left and $right, formerly $base, are $name', ({ name, ...given }) => {
    for (const conflicts of ['left', 'right'] as const) {
      expect(mergeNames(given, policyWith({ conflicts })).names).toEqual([name]);
    }
  });

  const GIVEN = { base: null, left: 'ann@x.example/', right: 'Ann/Lee' };

  test('also if the policy asks about conflicts, but not if the link writes only the side of the name', () => {
    const asked = mergeNames(GIVEN, policyWith({ conflicts: 'ask' }));
    expect(asked).toMatchObject({ names: ['Ann/Lee'], localFields: { left: [], right: [] } });
    expect(mergeNames(GIVEN, policyWith({ direction: 'to-right' })).names).toContain('ann@x.example/Lee');
  });
});

describe('R4: a name in which one side changed two parts, and the other side one of them, comes from one side', () => {
  test.each<Given>([
    { base: 'Leeson/Ann', left: 'Ann/Leeson', right: 'Leighson/Ann' },
    { base: 'Ann/Leeson', left: 'Ann Leeson/', right: 'Anne/Leeson' },
    { base: 'Ann Mary/Leeson', left: 'Ann/Mary Leeson', right: 'Ann Marie/Leeson' },
    { base: 'Ann/Leeson', left: 'Anne/Leesen', right: 'Anna/Leeson' },
  ])('$left and $right, formerly $base', (given) => {
    const { base, left: one, right: other } = given;
    for (const names of [given, { base, left: other, right: one }]) {
      for (const conflicts of ['left', 'right'] as const) {
        const merged = mergeNames(names, policyWith({ conflicts }));
        expect(merged.names).toEqual([names[conflicts]]);
        expect(merged.conflicts.length).toBeGreaterThan(0);
      }
      expect(mergeNames(names, policyWith({ conflicts: 'ask' })).names).toEqual([names.left, names.right]);
    }
  });

  test('also if the words moved to the middle name', () => {
    const half = (firstName: string, middleName: string) => ({ firstName, middleName, lastName: 'Lee' });
    const base = half('Ann Mary', '');
    const sides = bothSides(sideOf(half('Ann', 'Mary'), base), sideOf(half('Ann Marie', ''), base));
    const { desired } = mergeHalves(sides, policyWith({ conflicts: 'right' }));
    expect(desired.left).toMatchObject({ firstName: 'Ann Marie', lastName: 'Lee' });
    expect(desired.left.middleName ?? '').toBe('');
  });

  test('but a middle name that the link writes to one side only is merged by itself', () => {
    const half = (firstName: string, lastName: string, middleName: string) => ({ firstName, lastName, middleName });
    const base = half('Leeson', 'Ann', 'Mary');
    const sides = bothSides(
      sideOf(half('Ann', 'Leeson', 'Marie'), base),
      sideOf(half('Leighson', 'Ann', 'Mary'), base),
    );
    const policy = policyWith({ conflicts: 'right', directions: { middleName: 'to-right' } });
    const { desired } = mergeHalves(sides, policy);
    expect(desired.left).toMatchObject({ firstName: 'Leighson', lastName: 'Ann', middleName: 'Marie' });
    expect(desired.right).toMatchObject({ firstName: 'Leighson', lastName: 'Ann', middleName: 'Marie' });
  });

  test('but equal changes are no conflict', () => {
    const merged = mergeNames({ base: 'Ann/Lee', left: 'Anna/Leeson', right: 'Anna/Lee' });
    expect(merged).toMatchObject({ names: ['Anna/Leeson'], conflicts: [] });
  });
});

describe('R4: two people whose names share no word are a conflict about the whole name', () => {
  const MIXED = { base: 'Ann/Lee', left: 'Beth/Lee', right: 'Ann/Moore' };

  test('the winner gives both parts, and the lost name is recorded', () => {
    const left = mergeNames(MIXED, policyWith({ conflicts: 'left' }));
    expect(left.names).toEqual(['Beth/Lee']);
    expect(left.conflicts).toContainEqual({ field: 'lastName', left: 'Lee', right: 'Moore', winner: 'left' });
    expect(mergeNames(MIXED, policyWith({ conflicts: 'right' })).names).toEqual(['Ann/Moore']);
  });

  test('the policy asks about both parts, and both sides keep their name', () => {
    const { names, conflicts, localFields } = mergeNames(MIXED, policyWith({ conflicts: 'ask' }));
    expect(names).toEqual(['Beth/Lee', 'Ann/Moore']);
    expect(conflicts.map(({ field, winner }) => [field, winner])).toEqual([
      ['firstName', null],
      ['lastName', null],
    ]);
    expect(localFields).toEqual({ left: ['firstName', 'lastName'], right: ['firstName', 'lastName'] });
  });

  test.each<Given & { readonly name: Name }>([
    { base: 'Ann/Lee', left: 'Anna/Lee', right: 'Ann/Lee', name: 'Anna/Lee' },
    { base: 'Ann/Lee', left: 'Ann Marie/Lee', right: 'Ann/Moore', name: 'Ann Marie/Moore' },
    { base: 'Ann/', left: 'Anna/', right: 'Ann/Lee', name: 'Anna/Lee' },
    { base: 'Ann/Lee', left: 'Anna/Lee', right: 'Ann/', name: 'Anna/' },
  ])('$left and $right, formerly $base, are $name: a correction stays a change of its part', ({ name, ...given }) => {
    expect(mergeNames(given)).toMatchObject({ names: [name], conflicts: [] });
  });
});
