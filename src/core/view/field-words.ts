import { specOf, type SyncedField } from '../contact/contact.ts';
import { FIELDS } from '../contact/fields.ts';

/** The name of a synced field. */
export const fieldWords = (field: SyncedField): string =>
  field === 'buckets' ? FIELDS.buckets.words : specOf(field).words;
