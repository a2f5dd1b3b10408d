import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createPrompts } from '../../../src/cli/init/prompts.ts';
import { UsageError } from '../../../src/cli/usage-error.ts';
import { createTestTerminal } from './terminal.ts';

const fine = () => null;

const withInput = (text: string) => {
  const input = new PassThrough();
  input.end(text);
  const terminal = createTestTerminal();
  return { terminal, prompts: createPrompts(terminal, input) };
};

test('answers that came together are taken one after the other, an empty one as the usual one', async () => {
  const { prompts } = withInput('one\n\n three \n');
  expect(await prompts.ask('First', 'a', fine)).toBe('one');
  expect(await prompts.askHidden('Second', 'b', fine)).toBe('b');
  expect(await prompts.ask('Third', 'c', fine)).toBe('three');
});

test('what does not do is asked for again, with what is wrong', async () => {
  const { terminal, prompts } = withInput('much\n5\n');
  expect(await prompts.ask('How many', '', (answer) => (answer === '5' ? null : 'is not a number.'))).toBe('5');
  expect(terminal.printed).toEqual(['How many:', '  That is not a number.', 'How many:']);
});

test('the usual answer is shown, but never of what is hidden', async () => {
  const { terminal, prompts } = withInput('\n\n');
  await prompts.ask('Name', 'usual', fine);
  await prompts.askHidden('Secret', 'hunter2', fine);
  expect(terminal.printed[0]).toBe('Name [usual]:');
  expect(terminal.printed.join()).not.toContain('hunter2');
});

test('an input that ends is told what to do in a script', async () => {
  const { prompts } = withInput('');
  await expect(prompts.ask('Name', 'usual', fine)).rejects.toThrow(UsageError);
  await expect(prompts.ask('Name', 'usual', fine)).rejects.toThrow('contact-sync init --yes');
});
