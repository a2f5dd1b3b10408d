import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import {
  confirm,
  askChoice,
  askSecret,
  askText,
  askYesNo,
  InterruptedError,
} from '../../../src/cli/terminal/prompts.ts';

/** Streams of a prompt, and its output so far. */
const createStreams = (answer: string | null) => {
  const input = new PassThrough();
  if (answer === null) input.end();
  else input.write(answer);
  const output = new PassThrough();
  let printed = '';
  output.setEncoding('utf8').on('data', (text: string) => (printed += text));
  return { streams: { input, output }, printed: () => stripVTControlCharacters(printed) };
};

test('an empty answer selects the default, which is shown', async () => {
  const { streams, printed } = createStreams('\n');
  expect(await askText(streams, 'Name', { usual: 'usual' })).toBe('usual');
  expect(printed()).toContain('Name (usual)');
});

test('an invalid answer is reported and can be corrected', async () => {
  const { streams, printed } = createStreams('5x\n');
  const answer = askText(streams, 'How many', { faultOf: (text) => (text === '5' ? null : 'is not a number.') });
  await expect.poll(printed).toContain('The value is not a number.');
  streams.input.write('\u007f\n');
  expect(await answer).toBe('5');
});

test('neither a secret nor its default is shown', async () => {
  const typed = createStreams('hunter2\n');
  expect(await askSecret(typed.streams, 'Secret', { usual: 'hunter1' })).toBe('hunter2');
  const kept = createStreams('\n');
  expect(await askSecret(kept.streams, 'Secret', { usual: 'hunter1' })).toBe('hunter1');
  expect(typed.printed() + kept.printed()).not.toContain('hunter');
});

test('a choice starts at the default', async () => {
  const choices = [
    { value: 'one', name: 'One' },
    { value: 'two', name: 'Two' },
  ] as const;
  expect(await askChoice(createStreams('\n').streams, 'Which', choices, 'two')).toBe('two');
  expect(await askChoice(createStreams('\u001b[A\n').streams, 'Which', choices, 'two')).toBe('one');
});

test.each([
  ['Ctrl-C', '\u0003'],
  ['Ctrl-D', '\u0004'],
  ['the end of the input', null],
])('%s ends a question without an answer, and means no to a confirmation', async (_name, keys) => {
  await expect(askText(createStreams(keys).streams, 'Name', { usual: 'usual' })).rejects.toThrow(InterruptedError);
  await expect(askYesNo(createStreams(keys).streams, 'Delete?', true)).rejects.toThrow(InterruptedError);
  const { streams } = createStreams(keys);
  expect(await confirm({ stdout: streams.output }, streams.input, 'Delete?')).toBe(false);
});

test.each([
  ['y\n', true],
  ['Yes\n', true],
  ['n\n', false],
  ['\n', false],
])('the answer %j to a confirmation is a yes: %s', async (answer, isYes) => {
  const { streams } = createStreams(answer);
  expect(await confirm({ stdout: streams.output }, streams.input, 'Delete 3 contacts?')).toBe(isYes);
});
