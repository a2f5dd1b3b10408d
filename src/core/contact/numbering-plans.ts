import { createRequire } from 'node:module';
import type * as PhoneNumbers from 'libphonenumber-js/min';

const require = createRequire(import.meta.url);

/** The numbering plans of all countries, loaded at their first use: a command that compares no contacts needs none. */
export const numberingPlans = (): typeof PhoneNumbers => require('libphonenumber-js/min');
