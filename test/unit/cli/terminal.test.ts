import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createTerminal } from '../../../src/cli/terminal/terminal.ts';
import { withConfig, withTypedCommands } from '../../../src/cli/terminal/typed-command.ts';
import { createLogger } from '../../../src/util/logger.ts';
import { createTestTerminal } from './terminal.ts';

const ESCAPE = '\u001B';
const HOSTILE = `${ESCAPE}[2J${ESCAPE}]0;title\u0007\rwork: active\u009B1A\u202Egnp.exe\u2066 Sandy José 田中 👩‍👧`;
const WRITTEN_OUT =
  String.raw`\u001b[2J\u001b]0;title\u0007\u000dwork: active\u009b1A\u202egnp.exe\u2066` + ' Sandy José 田中 👩‍👧';

const open = (isTTY: boolean, hasColors = isTTY) => {
  const streams = [new PassThrough(), new PassThrough()].map((stream) =>
    Object.assign(stream, { isTTY, hasColors: () => hasColors }),
  );
  const [stdout, stderr] = streams as unknown as [NodeJS.WriteStream, NodeJS.WriteStream];
  const output = async (): Promise<string[]> => {
    stdout.end();
    stderr.end();
    return Promise.all([text(stdout as never), text(stderr as never)]);
  };
  return { terminal: createTerminal(stdout, stderr), output };
};

test.each([true, false])('control characters are escaped; a terminal: %s', async (isTTY) => {
  const { terminal, output } = open(isTTY);
  terminal.print(HOSTILE);
  terminal.warn(`one\n\ttwo ${HOSTILE}`);
  expect(await output()).toEqual([`${WRITTEN_OUT}\n`, `one\n\ttwo ${WRITTEN_OUT}\n`]);
});

test('a JSON document keeps its content when control characters are escaped', async () => {
  const { terminal, output } = open(false);
  terminal.print(JSON.stringify({ reason: HOSTILE }));
  const [printed = ''] = await output();
  expect(printed.trimEnd()).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/u);
  expect(JSON.parse(printed)).toEqual({ reason: HOSTILE });
});

test.each([
  ['EPIPE', undefined],
  ['ENOSPC', 1],
])('a command continues if its outputs fail with %s; the exit code %s replaces 0', (code, exitCode) => {
  const error = Object.assign(new Error(code), { code });
  const failing = (): NodeJS.WriteStream => {
    const write = (_text: string, done?: (reason: Error) => void): void => done?.(error);
    return Object.assign(new PassThrough(), { isTTY: false, write }) as unknown as NodeJS.WriteStream;
  };
  const [stdout, stderr] = [failing(), failing()];
  const terminal = createTerminal(stdout, stderr);
  const before = process.exitCode;
  process.exitCode = undefined;
  try {
    for (const stream of [stdout, stderr]) expect(() => stream.emit('error', error)).not.toThrow();
    terminal.warn('lost');
    expect(process.exitCode).toBeUndefined();
    terminal.print('lost');
    expect(process.exitCode).toBe(exitCode);
  } finally {
    process.exitCode = before;
  }
});

test("the program's own colours stay on a terminal, other colours do not", async () => {
  const { terminal, output } = open(true);
  terminal.print(`${ESCAPE}[1mwork${ESCAPE}[22m: ${ESCAPE}[31mfailing${ESCAPE}[39m ${ESCAPE}[8mhidden`);
  const [printed] = await output();
  expect(printed).toBe(
    `${ESCAPE}[1mwork${ESCAPE}[22m: ${ESCAPE}[31mfailing${ESCAPE}[39m ${String.raw`\u001b[8mhidden`}\n`,
  );
});

test('readable log lines contain no control characters either', async () => {
  const { terminal, output } = open(false);
  const log = createLogger({ level: 'info', format: 'pretty', destination: terminal.log });
  log.warn({ reason: HOSTILE, error: new Error(HOSTILE) }, 'contact skipped');
  const [, printed = ''] = await output();
  expect(printed).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/u);
  expect(printed).toContain('Sandy José 田中');
});

test.each([
  [true, true, true],
  [true, false, false],
  [false, true, false],
])('lines are overwritten only on a terminal without plain output: %s, %s', (isTTY, hasColors, redraws) => {
  const { terminal } = open(isTTY, hasColors);
  expect([terminal.redraws, terminal.log.hasColors()]).toEqual([redraws, redraws]);
});

test('a printed command repeats --config, quoted for the shell', () => {
  expect(withConfig('contact-sync', {})).toBe('contact-sync');
  expect(withConfig('contact-sync', { config: 'a/b.yaml' })).toBe('contact-sync --config a/b.yaml');
  const odd = withConfig('contact-sync', { config: "it's $HOME.yaml" });
  expect(odd).toBe(String.raw`contact-sync --config 'it'\''s $HOME.yaml'`);
  const terminal = createTestTerminal();
  withTypedCommands(terminal, ['plan'], withConfig('contact-sync', { config: '$&' })).print('See contact-sync plan');
  expect(terminal.printed).toEqual(["See contact-sync --config '$&' plan"]);
});

test('commands are printed as typed, in every text except a document', () => {
  const terminal = createTestTerminal();
  const typed = withTypedCommands(terminal, ['plan', 'connect'], 'npm run -s contact-sync --');
  typed.print('Next: contact-sync connect google home, and then: contact-sync plan');
  typed.warn('What contact-sync may do, contact-sync.db, node_modules/.bin/contact-sync plan');
  typed.print(JSON.stringify({ reason: 'contact-sync plan' }));
  expect(terminal.printed).toEqual([
    'Next: npm run -s contact-sync -- connect google home, and then: npm run -s contact-sync -- plan',
    '{"reason":"contact-sync plan"}',
  ]);
  expect(terminal.warned).toEqual(['What contact-sync may do, contact-sync.db, node_modules/.bin/contact-sync plan']);
});
