import type { Sides, SideWords } from '../core/contact/side.ts';
import { isCredentialError } from '../providers/errors.ts';
import { resumeRemedy } from '../engine/context.ts';
import { messageOf } from './exit-codes.ts';

/** The message of an error of a link, followed by the remedy if a credential was refused. */
export const troubleOf = (error: unknown, link: string, sides: Sides<SideWords>): string =>
  isCredentialError(error) ? `${error.message}. ${resumeRemedy(error, { link, sides })}` : messageOf(error);
