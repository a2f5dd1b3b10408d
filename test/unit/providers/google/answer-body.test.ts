import { Response } from 'undici';
import { expect, test } from 'vitest';
import { systemClock } from '../../../../src/util/clock.ts';
import { readWithin } from '../../../../src/providers/google/client.ts';

test('a character that comes in two pieces is read as one, in an answer that keeps its status and headers', async () => {
  const bytes = new TextEncoder().encode('{"name":"Zoë 🙂"}');
  const cuts = Array.from(bytes, (byte) => new Uint8Array([byte]));
  const answer = new Response(ReadableStream.from(cuts), { status: 403, headers: { 'retry-after': '5' } });
  const read = await readWithin(answer, systemClock);
  expect(await read.text()).toBe('{"name":"Zoë 🙂"}');
  expect([read.status, read.headers.get('retry-after')]).toEqual([403, '5']);
});

test('an answer that has no body by its status is an empty text', async () => {
  const read = await readWithin(new Response(null, { status: 204 }), systemClock);
  expect(await read.text()).toBe('');
});
