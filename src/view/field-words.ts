import type { SyncedField } from '../contact/contact.ts';
import { FIELDS } from '../contact/fields.ts';

/** A synced field as people call it. */
export const fieldWords = (field: SyncedField): string => FIELDS[field].words;
