import { describe, expect, it } from 'vitest';
import { EMPTY_CONTACT, type Contact, type ContactField } from '../../../../src/core/contact/contact.ts';
import { contactSchema } from '../../../../src/providers/service/api/schemas-contacts.ts';
import { createBody, recordOf, updateBody } from '../../../../src/providers/service/mapper.ts';
import { contactJson } from './support.ts';

const recordFrom = (over: Record<string, unknown>) => recordOf(contactSchema.parse(contactJson(1, over)));

/** Returns the body of an update that changes fields of a contact from the service. */
const bodyOf = (over: Record<string, unknown>, change: (held: Contact) => Partial<Contact>) => {
  const current = recordFrom(over);
  const changes = change(current.contact);
  const fields = Object.keys(changes) as ContactField[];
  return updateBody(current, { ...current.contact, ...changes }, fields);
};

const home = { value: 'home@x.example', label: 'Home' };
const work = { value: 'work@x.example', label: null };

describe('the body of a create', () => {
  it('contains only the non-empty fields', () => {
    const address = { street: '1 Main', city: '', region: '', postalCode: '75', country: '', label: null };
    const draft = { ...EMPTY_CONTACT, firstName: 'Ada', emailAddresses: [home, work], addresses: [address] };
    expect(createBody(draft)).toEqual({
      first_name: 'Ada',
      email_addresses: [{ label: 'Home', address: 'home@x.example' }, { address: 'work@x.example' }],
      addresses: [{ street_1: '1 Main', zip: '75' }],
    });
    expect(
      createBody({
        ...EMPTY_CONTACT,
        phoneNumbers: [{ value: '1', label: null }],
        websites: [{ value: 'w', label: null }],
      }),
    ).toEqual({
      phone_numbers: [{ number: '1' }],
      websites: [{ address: 'w' }],
    });
    expect(createBody(EMPTY_CONTACT)).toEqual({});
  });
});

describe('the body of an update', () => {
  it('contains only the changed fields', () => {
    expect(bodyOf({ email_addresses: [{ id: 'a', address: 'a@x.example' }] }, () => ({ firstName: 'Ada' }))).toEqual({
      first_name: 'Ada',
    });
  });

  it('clears a text with the empty value that the documentation defines for it', () => {
    expect(bodyOf({ company: 'X' }, () => ({ firstName: '', lastName: '', title: '', company: '' }))).toEqual({
      first_name: '',
      last_name: '',
      title: '',
      company: null,
    });
    expect(bodyOf({}, () => ({ company: 'New' }))).toEqual({ company: 'New' });
  });

  it('[R10] contains a kept entry with all its values, in the desired order', () => {
    const held = [
      { id: 'a', label: ' Home ', address: ' Home@X.example', primary: true, note: null },
      { id: 'b', label: null, address: 'old@x.example' },
    ];
    const body = bodyOf({ email_addresses: held }, ({ emailAddresses }) => ({
      emailAddresses: [work, ...emailAddresses.slice(0, 1)],
    }));
    expect(body.email_addresses).toEqual([
      { address: 'work@x.example' },
      { id: 'a', label: ' Home ', address: ' Home@X.example', primary: true },
    ]);
  });

  it('contains an empty list for a list that is emptied', () => {
    expect(bodyOf({ websites: [{ id: 'a', address: 'x' }] }, () => ({ websites: [] }))).toEqual({ websites: [] });
  });

  it('changes the label or the spelling of a kept entry, and keeps its id', () => {
    const held = [
      { id: 'a', label: 'Home', number: '(830) 285 9851' },
      { id: 'b', label: 'Work', number: '555 1234' },
    ];
    const body = bodyOf({ phone_numbers: held }, () => ({
      phoneNumbers: [
        { value: '(830) 285 9851', label: null },
        { value: '555-1234', label: 'Work' },
      ],
    }));
    expect(body.phone_numbers).toEqual([
      { id: 'a', label: null, number: '(830) 285 9851' },
      { id: 'b', label: 'Work', number: '555-1234' },
    ]);
  });

  it('[R10] keeps the other spellings of a kept entry and drops those of a removed entry', () => {
    const held = [
      { id: 'a', label: 'Home', address: 'home@x.example' },
      { id: 'b', label: 'Other', address: 'HOME@x.example' },
      { id: 'c', label: null, address: 'gone@x.example' },
      { id: 'd', label: null, address: 'Gone@x.example' },
      { id: 'e', label: null, address: '' },
    ];
    const body = bodyOf({ email_addresses: held }, () => ({ emailAddresses: [home] }));
    expect(body.email_addresses).toEqual([
      { id: 'a', label: 'Home', address: 'home@x.example' },
      { id: 'b', label: 'Other', address: 'HOME@x.example' },
    ]);
  });

  it('[R10] keeps the parts of an address that the canonical contact does not contain', () => {
    const held = [
      {
        id: 'a',
        label: 'home',
        full_address: 'rendered',
        street_1: '1 Main',
        street_2: 'Apt 4',
        city: 'Paris',
        state: null,
        zip: '75',
        country: 'FR',
      },
      { id: 'b', label: null, street_2: 'PO Box 9' },
    ];
    const body = bodyOf({ addresses: held }, ({ addresses }) => ({
      addresses: addresses.map((address) => ({ ...address, postalCode: '75001', country: '' })),
    }));
    expect(body.addresses).toEqual([
      { id: 'a', label: 'home', street_1: '1 Main', street_2: 'Apt 4', city: 'Paris', zip: '75001', country: '' },
      { id: 'b', street_2: 'PO Box 9' },
    ]);
  });

  it('[R10] keeps an address that has only a full form, as its street', () => {
    const held = [{ id: 'a', label: 'home', full_address: '1 Main, Paris', street_1: null }];
    const street = { street: '2 Side', city: '', region: '', postalCode: '', country: '', label: null };
    const body = bodyOf({ addresses: held }, ({ addresses }) => ({ addresses: [...addresses, street] }));
    expect(body.addresses).toEqual([{ id: 'a', label: 'home', street_1: '1 Main, Paris' }, { street_1: '2 Side' }]);
  });

  it('is the same for a record that was stored as text', () => {
    const current = recordFrom({ websites: [{ id: 'a', label: 'x', address: 'a.example', kind: { deep: [1] } }] });
    const stored = JSON.parse(JSON.stringify(current)) as typeof current;
    expect(updateBody(stored, current.contact, ['websites'])).toEqual({
      websites: [{ id: 'a', label: 'x', address: 'a.example', kind: { deep: [1] } }],
    });
  });
});
