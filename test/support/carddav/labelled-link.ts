import { groupsOf } from '../../../src/sandbox/google/account.ts';
import { startFakeLink, type FakeLink } from './fake-link.ts';
import type { FakeSettings } from './fake-server.ts';

const MY_CONTACTS = 'contactGroups/myContacts';
const HOUR_MS = 3_600_000;

/** Something for each person, by first name. */
type ByName = Readonly<Record<string, string>>;

/** A link between labels of Google and groups of an address book. Lists of names are sorted and joined by commas. */
export type LabelledLink = FakeLink & {
  readonly account: FakeLink['sandbox']['google']['account'];
  /** The id of a label, which is created if it does not exist. */
  label(name: string): string;
  /** The id of a person. */
  personId(name: string): string;
  /** Replaces the labels of a person. */
  setLabels(name: string, ...labels: readonly string[]): void;
  /** Adds a person with these labels. */
  addPerson(name: string, ...labels: readonly string[]): void;
  labels(): ByName;
  categories(): ByName;
  /** The name of the card with this text. */
  cardWith(text: string): string;
  /** Adds a line to a card. */
  addLine(card: string, line: string): void;
  /** Syncs so many times, an hour apart. */
  hours(count: number): Promise<void>;
  /** The server refuses each write of a card that contains the text; null: it refuses none. */
  refuse(text: string | null): void;
};

/** Starts a link of people with these labels, after its first run. */
export const startLabelled = async (
  people: Readonly<Record<string, readonly string[]>>,
  settings: Partial<FakeSettings> = {},
  variables: Readonly<Record<string, string>> = {},
): Promise<LabelledLink> => {
  const linked = await startFakeLink(settings, variables);
  const { sandbox, server } = linked;
  const { account } = sandbox.google;
  const label = (name: string): string =>
    account.groups().find((group) => group.name === name)?.resourceName ?? account.createGroup(name);
  const personId = (name: string): string =>
    account.people().find(({ names }) => names?.[0]?.givenName === name)?.resourceName ?? '';
  const setLabels = (name: string, ...labels: readonly string[]): void =>
    account.setGroups(personId(name), [MY_CONTACTS, ...labels.map(label)]);
  const addPerson = (name: string, ...labels: readonly string[]): void => {
    account.createPerson({ names: [{ givenName: name, familyName: 'Lind' }] });
    setLabels(name, ...labels);
  };
  const textOf = (card: string): string => server.text(card) ?? '';
  for (const [name, labels] of Object.entries(people)) addPerson(name, ...labels);
  await linked.synced();
  return {
    ...linked,
    account,
    label,
    personId,
    setLabels,
    addPerson,
    labels: () => {
      const names = new Map(account.groups().map(({ name, resourceName }) => [resourceName, name]));
      const own = account.people().map((each) => {
        const labels = (groupsOf(each) ?? []).flatMap((id) => names.get(id) ?? []);
        return [each.names?.[0]?.givenName ?? '', labels.toSorted().join()];
      });
      return Object.fromEntries(own) as ByName;
    },
    categories: () => {
      const own = server.names().map((card) => {
        const names = /^CATEGORIES:(.*)$/mu.exec(textOf(card))?.[1]?.trim() ?? '';
        return [/^FN:(\S+)/mu.exec(textOf(card))?.[1] ?? '', names.split(',').toSorted().join()];
      });
      return Object.fromEntries(own) as ByName;
    },
    cardWith: (text) => server.names().find((card) => textOf(card).includes(text)) ?? '',
    addLine: (card, line) => server.put(card, textOf(card).replace('END:', `${line}\r\nEND:`)),
    hours: async (count) => {
      for (let hour = 0; hour < count; hour += 1) await linked.synced({ afterMs: HOUR_MS });
    },
    refuse: (text) =>
      server.set({
        intercept: ({ method }, body) =>
          text !== null && method === 'PUT' && body.includes(text) ? { status: 403 } : null,
      }),
  };
};

/** The server refuses the write of a card with this number, counted from 1. */
export const refuseWrite = ({ server }: FakeLink, number: number): void => {
  let puts = 0;
  server.set({ intercept: ({ method }) => (method === 'PUT' && (puts += 1) === number ? { status: 403 } : null) });
};
