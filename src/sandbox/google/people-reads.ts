import { invalidArgument, missingContact, notFound, overLimit } from './api-error.ts';
import { contactSourceEtag, personEtag } from './etags.ts';
import type { Person } from './person-schema.ts';
import { accountNumber, personView, type ReadSelection } from './person-view.ts';
import { requiredSelection } from './request.ts';
import { type ApiRequest, showing, visibleState, type World } from './world.ts';

const maximumBatchGet = 200;

/** `GET /v1/people/{id}`, including `people/me`. */
export function getPerson({ query, pathParts }: ApiRequest, world: World): object {
  const selection = requiredSelection(query);
  const person = readPerson(`people/${pathParts[0]}`, selection, world);
  if (!person) throw missingContact(world.variants);
  return person;
}

/** `GET /v1/people:batchGet`: a person that does not exist has an error in its own response. */
export function batchGetPeople({ query }: ApiRequest, world: World): object {
  const selection = requiredSelection(query);
  const names = query.getAll('resourceNames');
  if (names.length === 0) throw invalidArgument('Request must set resource_names.');
  if (names.length > maximumBatchGet) throw overLimit('resource_names', maximumBatchGet);
  const responses = names.map((requestedResourceName) => {
    const person = readPerson(requestedResourceName, selection, world);
    if (!person) return { httpStatusCode: 404, requestedResourceName, status: notFound().rpcStatus };
    return { httpStatusCode: 200, person, requestedResourceName, status: {} };
  });
  return { responses };
}

function readPerson(resourceName: string, selection: ReadSelection, world: World): Person | undefined {
  const { email, contacts } = world.account;
  const id = accountNumber(email);
  if (resourceName === 'people/me' || resourceName === `people/${id}`) return ownProfile(id, email, selection);
  const record = contacts.find(resourceName);
  const state = record && visibleState(world, record);
  if (!record || !state) return undefined;
  return personView(record, state, { ...selection, ...showing(world), listing: false, formerNames: false });
}

/** Returns the account's owner. The resource name is the account's number, the email address is that of the account. */
function ownProfile(id: string, email: string, { mask, profile }: ReadSelection): Person {
  const etag = contactSourceEtag(0);
  const metadataFrom = (type: string): object => ({ primary: true, source: { type, id } });
  const sources = [
    { type: 'PROFILE', id, etag, profileMetadata: { objectType: 'PERSON', userTypes: ['GOOGLE_USER'] } },
    { type: 'ACCOUNT', id },
  ];
  const givenName = email.split('@')[0] ?? email;
  return {
    resourceName: `people/${id}`,
    etag: personEtag(mask, etag),
    ...(mask.has('metadata') && { metadata: { ...(profile && { sources }), objectType: 'PERSON' } }),
    ...(profile &&
      mask.has('names') && { names: [{ metadata: metadataFrom('PROFILE'), displayName: givenName, givenName }] }),
    ...(profile &&
      mask.has('emailAddresses') && {
        emailAddresses: [{ metadata: { ...metadataFrom('ACCOUNT'), verified: true }, value: email }],
      }),
  };
}
