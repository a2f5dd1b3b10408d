import { ApiError, badRequestDetails, errorInfo, invalidArgument, notFound } from './api-error.ts';
import type { GoogleVariants } from './variants.ts';

/** The 400 for a request with more items than allowed. */
export function overLimit(field: string, maximum: number, variants: GoogleVariants): ApiError {
  const message = `Request must not have more than ${maximum} ${field}.`;
  const details = variants.overLimitBatch === 'fieldViolations' ? badRequestDetails(field, message) : undefined;
  return invalidArgument(message, details);
}

/** The 429 for an account that cannot hold more contacts. */
export function contactLimitReached(variants: GoogleVariants): ApiError {
  const details =
    variants.contactLimitBody === 'errorInfo'
      ? errorInfo('MY_CONTACTS_OVERFLOW_COUNT', 'people.googleapis.com')
      : undefined;
  const message = 'Contact cannot be created: MY_CONTACTS_OVERFLOW_COUNT';
  return new ApiError('RESOURCE_EXHAUSTED', message, details);
}

/** What get, update and delete answer for a contact that does not exist. */
export function missingContact(variants: GoogleVariants): ApiError {
  return variants.missingContact === 'notFound' ? notFound() : new ApiError('INTERNAL', 'Internal error encountered.');
}
