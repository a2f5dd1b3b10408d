import { createHash } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';

/** An image that a user set for a contact. */
export interface Photo {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly contentType: 'image/jpeg' | 'image/png';
}

const signatures: readonly (readonly [Photo['contentType'], readonly number[]])[] = [
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
];

/** Returns the photo in the bytes; undefined if they are neither JPEG nor PNG. */
export function photoOf(bytes: Uint8Array): Photo | undefined {
  const found = signatures.find(([, signature]) => signature.every((byte, index) => bytes[index] === byte));
  return found && { bytes: Uint8Array.from(bytes), contentType: found[0] };
}

/** The photo of contacts without one: one grey pixel. */
const defaultPhoto: Photo = {
  bytes: Uint8Array.from(
    Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
      'base64',
    ),
  ),
  contentType: 'image/png',
};

/** The photos of an account. A stored photo keeps its address, even if no contact shows it any longer. */
export class PhotoBook {
  readonly #photos = new Map<string, Photo>();

  /** Stores a photo. Returns its id. */
  add(photo: Photo): string {
    const id = createHash('sha256').update(photo.bytes).digest('hex').slice(0, 32);
    this.#photos.set(id, photo);
    return id;
  }

  get(id: string): Photo | undefined {
    return this.#photos.get(id);
  }
}

/** Creates the routes of the photo addresses. They need no authorization. The size after `=` is ignored. */
export function photoRoutes(photos: PhotoBook): Hono<{ Bindings: HttpBindings }> {
  const routes = new Hono<{ Bindings: HttpBindings }>();
  routes.get('/contacts/:file', (context) => {
    const [id = ''] = context.req.param('file').split('=');
    const photo = photos.get(id);
    return photo ? answer(context, photo) : context.notFound();
  });
  routes.get('/cm/:file', (context) => answer(context, defaultPhoto));
  return routes;
}

function answer(context: Context, { bytes, contentType }: Photo): Response {
  return context.body(bytes, 200, { 'content-type': contentType });
}
