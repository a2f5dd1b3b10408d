import type { ServiceVariants } from './variants.ts';

/** An answer other than success: its status, and the text for its body. */
export class ServiceError extends Error {
  readonly status: number;
  /** The field at fault, where there is one. */
  readonly field: string | null;
  /** The target of a redirect. */
  readonly location: string | null;

  constructor(status: number, message: string, details: { field?: string; location?: string } = {}) {
    super(message);
    this.name = 'ServiceError';
    this.status = status;
    this.field = details.field ?? null;
    this.location = details.location ?? null;
  }
}

/** A resource that does not exist or is not the user's. */
export const notFound = (variants: ServiceVariants, id: string): ServiceError =>
  new ServiceError(Number(variants.missingRecordStatus), `Couldn't find a record with id ${id}`);

/** JSON that is not of the documented shape, or breaks a rule of the service. */
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

/** The page that a proxy in front of the service would answer. */
export const htmlErrorPage = (status: number): string =>
  `<!doctype html><html><head><title>${status}</title></head><body><h1>${status}</h1></body></html>`;

/** The answer for an error in the form that the variants name. */
export const errorResponse = (error: ServiceError, variants: ServiceVariants): Response => {
  const location: Record<string, string> = error.location === null ? {} : { location: error.location };
  const init = (contentType: string): ResponseInit => ({
    status: error.status,
    headers: { 'content-type': contentType, ...location },
  });
  if (variants.errorBody === 'empty') return new Response(null, { status: error.status, headers: location });
  if (variants.errorBody === 'html') return new Response(htmlErrorPage(error.status), init('text/html'));
  return new Response(JSON.stringify(jsonErrorBody(error, variants)), init('application/json'));
};
