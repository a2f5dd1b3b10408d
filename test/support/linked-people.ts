import { EMPTY_PERSON, type Person } from '../../src/sandbox/people/person.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';

// People of a sandbox, and their ids by first name. An id is empty where no contact or group has the name.

type WithSandbox = { readonly sandbox: Sandbox };

/** A person without an email address. */
export const named = (givenName: string, more: Partial<Person> = {}): Person => ({
  ...EMPTY_PERSON,
  givenName,
  familyName: 'Tester',
  ...more,
});

/** A person with an email address of its own. */
export const person = (givenName: string, more: Partial<Person> = {}): Person =>
  named(givenName, { emails: [{ value: `${givenName.toLowerCase()}@example.org`, label: 'work' }], ...more });

export const googleId = ({ sandbox }: WithSandbox, givenName: string): string =>
  sandbox.google.account.people().find(({ names }) => names?.[0]?.givenName === givenName)?.resourceName ?? '';

export const serviceId = ({ sandbox }: WithSandbox, firstName: string): string =>
  sandbox.service.account.contacts().find((contact) => contact.first_name === firstName)?.id ?? '';

export const labelId = ({ sandbox }: WithSandbox, name: string): string =>
  sandbox.google.account.groups().find((group) => group.name === name)?.resourceName ?? '';

export const bucketId = ({ sandbox }: WithSandbox, name: string): string =>
  sandbox.service.account.buckets().find((group) => group.name === name)?.id ?? '';
