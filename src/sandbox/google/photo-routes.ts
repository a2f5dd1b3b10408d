import { Hono, type Context } from 'hono';
import type { HttpBindings } from '@hono/node-server';
import { defaultPhoto, type Photo, type PhotoBook } from './photo-book.ts';

/** The addresses in `photos`. Anybody may fetch them; the size after `=` is passed over. */
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
