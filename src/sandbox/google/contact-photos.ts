import { z } from 'zod';
import { badRequestDetails, invalidArgument, missingContact } from './api-error.ts';
import type { ContactRecord } from './contact-book.ts';
import { personAfterWrite } from './contact-writes.ts';
import type { ReadSelection } from './person-view.ts';
import { type Photo, photoOf } from './photo-book.ts';
import { optionalSelection, readBody } from './request.ts';
import { type ApiRequest, noteApiWrite, type World } from './world.ts';

const updateSchema = z.strictObject({
  photoBytes: z.string().optional(),
  personFields: z.string().optional(),
  sources: z.array(z.string()).optional(),
});

/** `PATCH /v1/people/{id}:updateContactPhoto`: requires no etag, and returns the person only if a mask is given. */
export function updateContactPhoto({ body, pathParts }: ApiRequest, world: World): object {
  const { photoBytes, personFields, sources } = readBody(updateSchema, body, 'request');
  const selection = optionalSelection(personFields, 'personFields', sources ?? []);
  const record = contactOf(pathParts, world);
  return changePhoto(record, readPhoto(photoBytes ?? ''), selection, world);
}

/** `DELETE /v1/people/{id}:deleteContactPhoto` */
export function deleteContactPhoto({ query, pathParts }: ApiRequest, world: World): object {
  const selection = optionalSelection(query.get('personFields'), 'personFields', query.getAll('sources'));
  return changePhoto(contactOf(pathParts, world), undefined, selection, world);
}

function contactOf([id]: readonly string[], world: World): ContactRecord {
  const record = world.account.contacts.living(`people/${id}`);
  if (!record) throw missingContact(world.variants);
  return record;
}

function readPhoto(text: string): Photo {
  if (text === '') throw invalidArgument('Request must set photo_bytes.');
  if (!/^[\w+/-]*={0,2}$/.test(text)) {
    const problem = `Invalid value at 'photo_bytes' (TYPE_BYTES), Base64 decoding failed for "${text.slice(0, 100)}"`;
    throw invalidArgument(problem, badRequestDetails('photo_bytes', problem));
  }
  const photo = photoOf(Buffer.from(text, 'base64'));
  if (!photo) throw invalidArgument('Invalid photo format');
  return photo;
}

function changePhoto(
  record: ContactRecord,
  photo: Photo | undefined,
  selection: ReadSelection | undefined,
  world: World,
): object {
  const changed = world.account.changePhoto(record, photo);
  noteApiWrite(world, changed.resourceName);
  return selection ? { person: personAfterWrite(changed, selection, world) } : {};
}
