import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { createAsker, InterruptedError, unlessInterrupted } from '../../../src/cli/terminal/prompts.ts';

const typing = (answer: string | null) => {
  const input = new PassThrough();
  if (answer === null) input.end();
  else input.write(answer);
  const output = new PassThrough();
  let printed = '';
  output.setEncoding('utf8').on('data', (text: string) => (printed += text));
  return { input, asker: createAsker({ input, output }), printed: () => stripVTControlCharacters(printed) };
};

test('an empty answer selects the default, which is shown', async () => {
  const { asker, printed } = typing('\n');
  expect(await asker.text('Name', 'usual')).toBe('usual');
  expect(printed()).toContain('Name (usual)');
});

test('an invalid answer is reported and can be corrected', async () => {
  const { input, asker, printed } = typing('5x\n');
  const answer = asker.text('How many', '', (text) => (text === '5' ? null : 'is not a number.'));
  await expect.poll(printed).toContain('The value is not a number.');
  input.write('\u007f\n');
  expect(await answer).toBe('5');
});

test('neither a secret nor its default is shown', async () => {
  const typed = typing('hunter2\n');
  expect(await typed.asker.secret('Secret', 'hunter1')).toBe('hunter2');
  const kept = typing('\n');
  expect(await kept.asker.secret('Secret', 'hunter1')).toBe('hunter1');
  expect(typed.printed() + kept.printed()).not.toContain('hunter');
});

test.each([
  ['Ctrl-C', '\u0003'],
  ['Ctrl-D', '\u0004'],
  ['the end of the input', null],
])('%s ends a question without an answer', async (_name, keys) => {
  await expect(typing(keys).asker.text('Name', 'usual')).rejects.toThrow(InterruptedError);
  const { asker } = typing(keys);
  expect(await unlessInterrupted(asker.yesNo('Delete?', true), false)).toBe(false);
});
