import { expect } from 'vitest';
import { cardOf, plain } from '../../support/contract/harness.ts';
import {
  ADA,
  BEN,
  createAll,
  creation,
  errorOf,
  expectFaithful,
  forever,
  readRecord,
  update,
  valueOf,
  type Scene,
} from './steps.ts';

/** Creates, updates and deletes. */
export const writeScenes = {
  'creates return each contact under its key as it is stored': async (harness) => {
    const group = harness.addGroup('Friends');
    const { createsWithGroups } = harness.remote.capabilities;
    const results = await createAll(harness, [
      creation('a', ADA, createsWithGroups ? [group] : []),
      creation('b', BEN),
    ]);
    const [ada, ben] = [valueOf(results, 'a'), valueOf(results, 'b')];
    expect(harness.ids().toSorted()).toEqual([ada.id, ben.id].toSorted());
    expect(plain(cardOf(ada.contact))).toEqual(plain(ADA));
    for (const record of [ada, ben]) expectFaithful(harness, record);
    expect(ada.groupIds).toEqual(createsWithGroups ? [group] : []);
  },

  'a refused create does not prevent the others': async (harness) => {
    const cards = ['A', 'B', 'C', 'D'].map((firstName) =>
      creation(firstName, { ...BEN, firstName, emails: [`${firstName}@example.org`] }),
    );
    const results = await createAll(harness, harness.refuseOne(cards));
    const refused = results.filter(({ ok }) => !ok).map(({ key }) => key);
    expect(refused).toHaveLength(1);
    expect(errorOf(results, refused[0] ?? '')).toMatchObject({ kind: 'invalid', retry: 'never', applied: 'no' });
    expect(harness.ids()).toHaveLength(3);
  },

  'an update changes its fields and nothing else, not even unmapped values (R10)': async (harness) => {
    const ada = harness.add(ADA, [harness.addGroup('Friends')]);
    harness.giveMore(ada);
    const more = harness.more(ada);
    const current = await readRecord(harness, ada);
    const emailAddresses = [...current.contact.emailAddresses, { value: 'new@example.org', label: 'other' }];
    const updated = await update(harness, current, { title: 'Countess', emailAddresses });
    const card = harness.card(ada) ?? expect.fail('the contact is missing');
    expect(plain(card)).toEqual(plain({ ...ADA, title: 'Countess', emails: [...ADA.emails, 'new@example.org'] }));
    expect(harness.more(ada)).toEqual(more);
    expectFaithful(harness, updated);
    const again = await update(harness, updated, { lastName: 'Lovelace' });
    expect(harness.card(ada)?.lastName).toBe('Lovelace');
    expect(harness.more(ada)).toEqual(more);
    expectFaithful(harness, again);
  },

  'an update clears texts and lists': async (harness) => {
    const ada = harness.add(ADA);
    const current = await readRecord(harness, ada);
    const kept = current.contact.emailAddresses.slice(0, 1);
    const updated = await update(harness, current, { company: '', title: '', phoneNumbers: [], emailAddresses: kept });
    const cleared = { ...ADA, company: '', title: '', phones: [], emails: ADA.emails.slice(0, 1) };
    expect(plain(harness.card(ada) ?? expect.fail('the contact is missing'))).toEqual(plain(cleared));
    expectFaithful(harness, updated);
  },

  'an update of a deleted contact fails without the others': async (harness) => {
    const [ada, ben] = [harness.add(ADA), harness.add(BEN)];
    const records = [await readRecord(harness, ada), await readRecord(harness, ben)];
    harness.remove(ben);
    const requests = records.map((current) => ({
      key: current.id,
      current,
      desired: { ...current.contact, title: 'Countess' },
      fields: ['title'] as const,
    }));
    const results =
      harness.remote.capabilities.writeBatch > 1
        ? await harness.remote.update(requests, forever)
        : (await Promise.all(requests.map((request) => harness.remote.update([request], forever)))).flat();
    expect(valueOf(results, ada).contact.title).toBe('Countess');
    expect(errorOf(results, ben).retry).toBe('never');
    expect(errorOf(results, ben).applied).toBe('no');
  },

  'a delete returns a result for each id, and succeeds for a deleted contact': async (harness) => {
    const [ada, ben] = [harness.add(ADA), harness.add(BEN)];
    const cid = harness.add({ firstName: 'Cid', lastName: 'Stays' });
    harness.remove(ben);
    const { writeBatch } = harness.remote.capabilities;
    const batches = writeBatch > 1 ? [[ada, ben]] : [[ada], [ben]];
    for (const batch of batches) {
      const results = await harness.remote.delete(batch, forever);
      expect(new Map(results.map(({ key, ok }) => [key, ok]))).toEqual(new Map(batch.map((id) => [id, true])));
    }
    expect(harness.ids()).toEqual([cid]);
  },
} satisfies Record<string, Scene>;
