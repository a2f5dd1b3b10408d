import type { Side } from '../../core/contact/side.ts';
import { EMPTY_PERSON } from '../../sandbox/people/person.ts';
import { seedGoogle } from '../../sandbox/people/seed.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';

/** Returns the found item. Throws if the sample data does not contain it. */
const found = <Item>(item: Item | undefined, name: string): Item => {
  if (item === undefined) throw new Error(`The sample data has no ${name}.`);
  return item;
};

const idAtGoogle = ({ google }: Sandbox, name: string): string => {
  const isNamed = google.account
    .people()
    .find(({ names }) => `${names?.[0]?.givenName} ${names?.[0]?.familyName}` === name);
  return found(isNamed?.resourceName ?? undefined, name);
};

const idAtService = ({ service }: Sandbox, name: string): string => {
  const contacts = service.account.contacts();
  return found(
    contacts.find(({ first_name, last_name }) => `${first_name} ${last_name}` === name),
    name,
  ).id;
};

const setTitleAtGoogle = (sandbox: Sandbox, name: string, title: string): void => {
  const { account } = sandbox.google;
  const id = idAtGoogle(sandbox, name);
  const [job, ...others] = account.person(id)?.organizations ?? [];
  account.updatePerson(id, { organizations: [{ ...job, title }, ...others] });
};

const setTitleAtService = (sandbox: Sandbox, name: string, title: string): void =>
  void sandbox.service.account.updateContact(idAtService(sandbox, name), { title });

const ADA = {
  ...EMPTY_PERSON,
  givenName: 'Ada',
  familyName: 'Lind',
  emails: [{ value: 'ada.lind@example.com', label: 'home' }],
  groups: ['Clients'],
};

/** The contact that is deleted. */
export const DELETED = 'Jürgen Groß';

type Edit = { readonly side: Side; readonly text: string; readonly make: (sandbox: Sandbox) => void };

/** The edits of the owner of both accounts between two syncs. */
export const EDITS: readonly Edit[] = [
  { side: 'left', text: 'Ada Lind is new, in Clients', make: ({ google }) => seedGoogle(google.account, [ADA]) },
  {
    side: 'left',
    text: 'Priya Patel has another email address',
    make: (sandbox) =>
      sandbox.google.account.updatePerson(idAtGoogle(sandbox, 'Priya Patel'), {
        emailAddresses: [{ value: 'priya@example.net' }],
      }),
  },
  {
    side: 'right',
    text: 'Zoé Lefèvre has another title',
    make: (sandbox) => setTitleAtService(sandbox, 'Zoé Lefèvre', 'Associée'),
  },
  {
    side: 'left',
    text: 'DeShawn Brooks becomes "CEO"',
    make: (sandbox) => setTitleAtGoogle(sandbox, 'DeShawn Brooks', 'CEO'),
  },
  {
    side: 'right',
    text: 'DeShawn Brooks becomes "Chairman", a minute later: a conflict',
    make: (sandbox) => setTitleAtService(sandbox, 'DeShawn Brooks', 'Chairman'),
  },
  {
    side: 'right',
    text: `${DELETED} is deleted`,
    make: (sandbox) => void sandbox.service.account.deleteContact(idAtService(sandbox, DELETED)),
  },
  {
    side: 'right',
    text: 'Leads is renamed to Prospects',
    make: ({ service: { account } }) => {
      const bucket = account.buckets().find(({ name }) => name === 'Leads');
      account.updateBucket(found(bucket, 'Leads').id, { name: 'Prospects' });
    },
  },
];
