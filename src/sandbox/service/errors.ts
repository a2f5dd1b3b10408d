import type { ServiceVariants } from './variants.ts';

/** An error answer: its status, and the text for its body. */
export class ServiceError extends Error {
  readonly status: number;
  readonly field: string | null;
  readonly location: string | null;

  constructor(status: number, message: string, details: { field?: string; location?: string } = {}) {
    super(message);
    this.name = 'ServiceError';
    this.status = status;
    this.field = details.field ?? null;
    this.location = details.location ?? null;
  }
}

/** Returns the error for a resource that does not exist or does not belong to the user. */
export const notFound = (variants: ServiceVariants, id: string): ServiceError =>
  new ServiceError(Number(variants.missingRecordStatus), `Couldn't find a record with id ${id}`);

/** Returns the error for JSON of another shape than documented, or that violates a rule of the service. */
export const invalid = (variants: ServiceVariants, message: string, field?: string): ServiceError =>
  new ServiceError(Number(variants.invalidStatus), message, field === undefined ? {} : { field });

const jsonErrorBody = (error: ServiceError, variants: ServiceVariants): unknown => {
  switch (variants.errorBody) {
    case 'errors-object':
      return { errors: { [error.field ?? 'cause']: error.message } };
    case 'error-text':
      return { error: error.message };
    case 'error-records':
      return { errors: [{ message: error.message, field: error.field }] };
    default:
      return error.status === 402 ? { errors: { cause: error.message } } : { errors: [error.message] };
  }
};

/** Returns the answer for an error in the form of the variants. */
export const errorResponse = (error: ServiceError, variants: ServiceVariants): Response => {
  const location: Record<string, string> = error.location === null ? {} : { location: error.location };
  const init = (contentType: string): ResponseInit => ({
    status: error.status,
    headers: { 'content-type': contentType, ...location },
  });
  if (variants.errorBody === 'empty') return new Response(null, { status: error.status, headers: location });
  if (variants.errorBody === 'html') return new Response(`<h1>${error.status}</h1>`, init('text/html'));
  return new Response(JSON.stringify(jsonErrorBody(error, variants)), init('application/json'));
};
