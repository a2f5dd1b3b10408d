import type { StoreChange } from '../../../src/core/state/rows.ts';
import { describe, expect, it } from 'vitest';
import { EMPTY_CONTACT, type Contact } from '../../../src/core/contact/contact.ts';
import type { Half } from '../../../src/core/contact/half.ts';
import { newPair, pairOf, putHalf, putOf, recordOf } from '../../support/store/rows.ts';
import type { ContactPage } from '../../../src/store/store.ts';
import type { StoreSubject } from './store-subject.ts';

const person = (id: string, fields: Partial<Contact>, half: Partial<Half> = {}): StoreChange =>
  putHalf(id, { ...half, record: recordOf(id, { contact: { ...EMPTY_CONTACT, ...fields } }) });

const named = (id: string, firstName: string, lastName = '', half: Partial<Half> = {}): StoreChange =>
  person(id, { firstName, lastName }, half);

const listed = (value: string) => [{ value, label: null }];

/** The search for halves by text. */
export const searchContract = (name: string, subject: StoreSubject): void => {
  const { acquire, commit } = subject;
  const found = (text: string, limit = 100) => subject.ids({ by: 'search', text, limit });

  describe(`${name}: a search`, () => {
    it('finds names by words and prefixes in any spelling and any order', async () => {
      await commit(
        named('l1', 'Zoë', 'Ångström'),
        named('l2', 'Zoe Marie'),
        named('r1', 'ŁUKASZ', '', { side: 'right' }),
      );
      expect(await found('zoe')).toEqual(['l1', 'l2']);
      expect(await found('ANGSTROM, zoë')).toEqual(['l1']);
      expect(await found('mar zo')).toEqual(['l2']);
      expect(await found('lukasz')).toEqual(['r1']);
      expect(await found('ngstrom')).toEqual([]);
      expect(await found('zoe nobody')).toEqual([]);
      expect(await found('!')).toEqual([]);
      expect(await found('%')).toEqual([]);
    });

    it('finds email addresses and numbers in any spelling, and not by a part of them', async () => {
      await commit(
        person('l1', { emailAddresses: listed(' JOSÉ@Example.org') }),
        person('l2', { phoneNumbers: [...listed('+49 (0)176 1234567'), ...listed('٠١٢٣')] }),
        person('l3', { phoneNumbers: listed('99 1234567') }),
        person('l4', { title: 'josé@example.org +491761234567' }),
      );
      expect(await found('josé@EXAMPLE.org')).toEqual(['l1']);
      expect(await found('example.org')).toEqual([]);
      expect(await found('0049 176 1234567')).toEqual(['l2']);
      expect(await found('0123')).toEqual(['l2']);
      expect(await found('1234567')).toEqual([]);
    });

    it('returns those of the first names up to the limit', async () => {
      await commit(
        named('l1', 'Annabel'),
        named('l2', 'Anna', 'Bee'),
        named('l3', 'Anna'),
        person('l4', { emailAddresses: listed('anna') }),
      );
      expect(await found('anna', 1)).toEqual(['l4']);
      expect(await found('anna', 2)).toEqual(['l3', 'l4']);
      expect(await found('anna', 3)).toEqual(['l2', 'l3', 'l4']);
      expect(await found('anna')).toEqual(['l1', 'l2', 'l3', 'l4']);
    });

    it('uses the current record of a half, on that link only', async () => {
      await commit(named('l1', 'Ada'), named('l2', 'Ada'), named('l3', 'Ada'));
      const other = await acquire('other');
      await subject.store.commit('other', other, [named('l9', 'Ada')]);
      await commit(named('l1', 'Eve'), { kind: 'drop', table: 'halves', where: { side: 'left', id: 'l2' } });
      expect(await found('ada')).toEqual(['l3']);
      expect(await found('ada', 1)).toEqual(['l3']);
      expect(await found('eve')).toEqual(['l1']);
    });
  });

  describe(`${name}: blank halves`, () => {
    it('have no pair and no value in their record', async () => {
      await commit(
        person('l1', {}),
        person('l2', { title: 'Countess' }),
        person('l3', { phoneNumbers: listed('') }),
        person('r1', {}, { side: 'right', state: 'gone' }),
      );
      const paired = { ...(await blankHalf()), id: 'l5' };
      await commit(...pairOf('linked', { half: paired, digest: null }));
      expect(await subject.ids({ by: 'blank' })).toEqual(['l1', 'r1']);
      await commit(person('l1', { title: 'Countess' }));
      expect(await subject.ids({ by: 'blank' })).toEqual(['r1']);
    });
  });

  describe(`${name}: a page of contacts`, () => {
    const page = (of: ContactPage, offset = 0, limit = 10) => subject.ids({ by: 'page', of, offset, limit });

    it('has each contact once, in the order of the names as they are shown, from an offset on', async () => {
      await commit(
        ...newPair('l1', 'r1'),
        named('l2', 'Zoe', 'Abel'),
        named('r3', 'Ben', '', { side: 'right' }),
        named('l4', 'Abe', '', { state: 'gone' }),
      );
      expect(await page('all')).toEqual(['l1', 'r3', 'l2']);
      expect(await page('all', 1, 1)).toEqual(['r3']);
    });

    it('of one side has the contacts without a counterpart', async () => {
      await commit(...newPair('l1', 'r1'), named('l2', 'Zoe'), ...pairOf('kept', putOf('r3', { side: 'right' })));
      expect(await page('alone')).toEqual(['r3', 'l2']);
    });

    it('of written contacts begins with the last one', async () => {
      await commit(
        named('l1', 'Ada', '', { writtenAtMs: 1 }),
        named('l2', 'Ben'),
        named('r3', 'Zoe', '', { side: 'right', writtenAtMs: 2 }),
      );
      expect(await page('written')).toEqual(['r3', 'l1']);
    });
  });

  const blankHalf = async (): Promise<Half> => {
    const half = await subject.halfNamed('l1');
    if (half === undefined) throw new Error('There is no half.');
    return half;
  };
};
