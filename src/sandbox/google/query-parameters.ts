import { badRequest, invalidArgument } from './api-error.ts';
import type { Operation } from './world.ts';

/** What every method of a Google API takes in its query (the system parameters). */
const standardParameters: ReadonlySet<string> = new Set([
  '$.xgafv',
  'access_token',
  'alt',
  'callback',
  'fields',
  'key',
  'oauth_token',
  'prettyPrint',
  'quotaUser',
  'uploadType',
  'upload_protocol',
]);

/** Refuses a query that names what the method does not take; throws the 400. */
export function checkParameters(query: URLSearchParams, { parameters }: Operation): void {
  const names = new Set(query.keys());
  const unknown = [...names].filter((name) => !standardParameters.has(name) && !parameters.includes(name));
  if (unknown.length === 0) return;
  const descriptions = unknown.map(
    (name) =>
      `Invalid JSON payload received. Unknown name "${name}": Cannot bind query parameter. ` +
      `Field '${name}' could not be found in request message.`,
  );
  throw invalidArgument(descriptions.join('\n'), badRequest(descriptions.map((description) => ({ description }))));
}
