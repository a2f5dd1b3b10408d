import { createRequire } from 'node:module';
import type * as PhoneNumbers from 'libphonenumber-js/min';

const require = createRequire(import.meta.url);

/**
 * Returns the numbering plans of all countries. They are loaded on first use: commands that compare no contacts do not need them.
 */
export const numberingPlans = (): typeof PhoneNumbers => require('libphonenumber-js/min');
