import { Help, type Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { createProgram } from '../../../src/cli/program.ts';
import { createTestTerminal } from './terminal.ts';

const terminal = createTestTerminal();
const program = await createProgram({ code: 0, document: null, terminal }, null);

const helpOf = (command: Command): string => {
  const before = terminal.printed.length;
  command.outputHelp();
  return terminal.printed.slice(before).join('\n');
};

const commandsBelow = (command: Command, path: readonly string[] = []): readonly (readonly [string, Command])[] =>
  command.commands.flatMap((each) => {
    const words = [...path, each.name()];
    return [[words.join(' '), each] as const, ...commandsBelow(each, words)];
  });

const COMMANDS = commandsBelow(program);

const examplesIn = (help: string): readonly string[] =>
  [...help.matchAll(/^ {2}\$ (.*)$/gmu)].map(([, example = '']) => example);

describe.each(COMMANDS)('the help of `%s`', (path, command) => {
  test('has one or two examples of that command, with options that exist', () => {
    const examples = examplesIn(helpOf(command));
    expect(examples.length).toBeGreaterThanOrEqual(1);
    expect(examples.length).toBeLessThanOrEqual(2);
    const flags = [command, program, ...command.commands].flatMap(({ options }) => options.map(({ long }) => long));
    for (const example of examples) {
      expect(example).toContain(`contact-sync ${path}`);
      for (const [flag] of example.matchAll(/(?<= )--[a-z-]+/gu)) expect(flags).toContain(flag);
    }
  });

  test('describes the command, its arguments and its options in one line each', () => {
    expect(command.description()).toMatch(/^[A-Z].*\.$/u);
    const parts = [...command.registeredArguments, ...command.options];
    for (const { description } of parts) expect(description).toMatch(/^[a-z`Y].*[^.]$/u);
  });
});

test('the help of the program lists each command with the arguments that it defines', async () => {
  const starting = await createProgram({ code: 0, document: null, terminal }, []);
  const terms = helpOf(starting).matchAll(/^ {2}([a-z]+(?: [<[]\S+)*)(?= |$)/gmu);
  const defined = program.commands.map((command) => new Help().subcommandTerm(command).replace(' [options]', ''));
  expect([...terms].map(([, term = '']) => term)).toEqual([...defined, 'help [COMMAND]']);
});

test('LINK is an argument, and not an option, of every command that works on links', () => {
  for (const [path, command] of COMMANDS) {
    // There it names a new link.
    if (path === 'init') continue;
    const { options } = command;
    expect([path, options.map(({ long }) => long)]).not.toEqual([path, expect.arrayContaining(['--link'])]);
  }
});
