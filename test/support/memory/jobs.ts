import { boundPlaceOf } from '../../../src/core/contact/bound-entries.ts';
import type { Contact, ContactField } from '../../../src/core/contact/contact.ts';
import type { ContactRecord } from '../../../src/core/contact/record.ts';

/** An organization of a contact. */
export type Job = { readonly company: string; readonly title: string };

/** The fields that hold one organization. */
const FIELDS = ['company', 'title'] as const;

const isFilled = ({ company, title }: Job): boolean => company !== '' || title !== '';

const jobOf = ({ company, title }: Contact): Job => ({ company, title });

/** The organizations of a contact in the order of its account: the synced one, then the others. */
const listedJobs = (contact: Contact, others: readonly Job[]): readonly Job[] =>
  [jobOf(contact), ...others].filter(isFilled);

/** The organizations as a mapper reads them: the first one, and all of them if there are several. */
export const readJobs = (
  contact: Contact,
  others: readonly Job[],
): Pick<ContactRecord, 'contact'> & { readonly entries?: NonNullable<ContactRecord['entries']> } => {
  if (others.length === 0) return { contact };
  const jobs = listedJobs(contact, others);
  const entries = jobs.map(({ company, title }) => [company, title]);
  return {
    contact: { ...contact, ...jobs[0] },
    ...(jobs.length > 1 && { entries: [{ fields: FIELDS, entries, bound: 0 }] }),
  };
};

/**
 * The organizations after a write of company and title: the one that the writer has bound them to is replaced, and
 * the others stay.
 */
export const writtenJobs = (
  held: { readonly contact: Contact; readonly jobs: readonly Job[] },
  { current, desired }: { readonly current: ContactRecord; readonly desired: Contact },
  fields: readonly ContactField[],
): { readonly contact: Contact; readonly jobs: readonly Job[] } => {
  if (held.jobs.length === 0 || !FIELDS.some((field) => fields.includes(field))) {
    return { contact: desired, jobs: held.jobs };
  }
  const listed = listedJobs(held.contact, held.jobs);
  const place = boundPlaceOf(current, 'company');
  const bound = place === undefined ? 0 : place;
  const own = bound === null ? { company: '', title: '' } : (listed[bound] ?? { company: '', title: '' });
  const written = {
    company: fields.includes('company') ? desired.company : own.company,
    title: fields.includes('title') ? desired.title : own.title,
  };
  return { contact: { ...desired, ...written }, jobs: listed.filter((_, index) => index !== bound) };
};
