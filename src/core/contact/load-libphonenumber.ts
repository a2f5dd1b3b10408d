import { createRequire } from 'node:module';
import type * as PhoneNumbers from 'libphonenumber-js/min';

const require = createRequire(import.meta.url);

/**
 * Returns libphonenumber with the numbering plans of all countries. It is loaded on first use: commands that compare no contacts do
 * not need it.
 */
export const loadLibphonenumber = (): typeof PhoneNumbers => require('libphonenumber-js/min');
