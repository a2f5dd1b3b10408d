import { createHash } from 'node:crypto';
import { readFields, type ReadField } from './person-schema.ts';

const maskTag = 0x12;
const sourceTypesTag = 0x1a;
const contactEtagTag = 0x22;
const sourceTypes = Buffer.from([1, 2, 5, 7]);
const contactEtagLength = 12;

/**
 * Returns the etag of a contact source. It depends only on the time of the last change: contacts that changed at the same time
 * have equal etags, as at Google.
 */
export function contactSourceEtag(updatedMicros: number): string {
  return `#${shortHash(`contact ${updatedMicros}`)}`;
}

export function groupEtag(updatedMicros: number): string {
  return shortHash(`group ${updatedMicros}`);
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, 8).toString('base64');
}

/** Returns the etag of a person. It contains the mask of the read and the contact source's etag, so it differs by mask. */
export function personEtag(mask: ReadonlySet<ReadField>, sourceEtag: string): string {
  const ids = Buffer.from(readFields.flatMap((field, index) => (mask.has(field) ? [index + 1] : [])));
  const contactEtag = Buffer.from(sourceEtag.slice(1), 'ascii');
  const message = [chunk(maskTag, ids), chunk(sourceTypesTag, sourceTypes), chunk(contactEtagTag, contactEtag)];
  return `%${Buffer.concat(message).toString('base64')}`;
}

function chunk(tag: number, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag, bytes.length]), bytes]);
}

/** Returns the contact source's etag in a person etag; undefined if the text is not a person etag. */
export function sourceEtagInside(etag: string): string | undefined {
  if (!etag.startsWith('%')) return undefined;
  const bytes = Buffer.from(etag.slice(1), 'base64');
  const start = bytes.length - contactEtagLength;
  if (bytes[start - 2] !== contactEtagTag || bytes[start - 1] !== contactEtagLength) return undefined;
  return `#${bytes.subarray(start).toString('ascii')}`;
}
