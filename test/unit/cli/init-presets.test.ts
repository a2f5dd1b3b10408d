import { expect, test } from 'vitest';
import { askAll, NON_INTERACTIVE } from '../../../src/cli/setup/questions.ts';
import type { Asker } from '../../../src/cli/terminal/prompts.ts';
import { faultOf } from '../../../src/app/config/set-up.ts';
import { PROVIDERS } from '../../../src/providers/registry.ts';

/** Answers choices and texts whose question contains a key; any other question gets its default. */
const answering = (answers: Readonly<Record<string, string>>): Asker & { readonly questions: string[] } => {
  const questions: string[] = [];
  const answerTo = (question: string, usual: string): string => {
    questions.push(question);
    return Object.entries(answers).find(([part]) => question.includes(part))?.[1] ?? usual;
  };
  return {
    ...NON_INTERACTIVE,
    questions,
    text: (question, usual = '') => Promise.resolve(answerTo(question, usual)),
    choice: async (question, choices, usual) => {
      const answer = answerTo(question, usual);
      return choices.find(({ value }) => value === answer)?.value ?? usual;
    },
  };
};

const ask = async (answers: Readonly<Record<string, string>>, known: ReadonlyMap<string, string> = new Map()) => {
  const asker = answering(answers);
  const informed: string[] = [];
  const providers = { left: 'google', right: 'carddav' };
  const { settings } = await askAll(
    asker,
    { providers, settings: known },
    { inform: (text) => void informed.push(text), check: () => Promise.resolve(true) },
  );
  return { questions: asker.questions.join('\n'), url: settings.get('carddav.url'), hint: informed.join('\n') };
};

test('a known server provides its address and a hint about app passwords, and there is no question for the address', async () => {
  const { questions, hint, url } = await ask({ 'CardDAV server': 'iCloud' });
  expect(url).toBe('https://contacts.icloud.com/');
  expect(hint).toContain('app-specific password');
  expect(questions).not.toContain('address of the CardDAV server');
  expect(questions).toContain('CardDAV: user name');
});

test.each(['https://cloud.example.org', 'https://cloud.example.org/'])(
  'Nextcloud at %s: the path is added to the address',
  async (address) => {
    const { url } = await ask({ 'CardDAV server': 'Nextcloud', 'Address of the Nextcloud server': address });
    expect(url).toBe('https://cloud.example.org/remote.php/dav/');
  },
);

test('for any other server there is a question for the address, except if it is already set', async () => {
  const other = await ask({ 'address of the CardDAV server': 'https://dav.example.org/' });
  expect([other.url, other.hint]).toEqual(['https://dav.example.org/', expect.not.stringContaining('app-specific')]);
  const set = await ask({}, new Map([['carddav.url', 'https://dav.example.org/']]));
  expect(set.questions).not.toContain('Which CardDAV server');
});

test('each preset gives a valid value of a setting of its provider', () => {
  for (const { name, presets = [] } of PROVIDERS) {
    for (const { key, value, hint } of presets) {
      const whole = new URL(value, 'https://server.example/').href;
      expect(faultOf(`${name}.${key}`, whole)).toBeNull();
      expect(hint).toContain('app');
    }
  }
});
