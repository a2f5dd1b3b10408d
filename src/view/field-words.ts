import { specOf, type SyncedField } from '../contact/contact.ts';
import { FIELDS } from '../contact/fields.ts';

/** A synced field as people call it. */
export const fieldWords = (field: SyncedField): string =>
  field === 'buckets' ? FIELDS.buckets.words : specOf(field).words;
