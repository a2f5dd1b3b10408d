import { z } from 'zod';
import { runCli } from '../../src/cli/program.ts';
import { createTerminal } from '../../src/cli/terminal/terminal.ts';
import { TYPED_COMMAND } from '../../src/cli/terminal/typed-command.ts';

// The real command line on the streams of a process, like `src/main.ts`, but for several commands. The output of a
// command, and of the process during it, ends with the mark in its order.

const order = z.object({
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()),
  cwd: z.string(),
  mark: z.string(),
  /** Whether texts contain commands as typed in a checkout, like `src/main.ts`. */
  isTyped: z.boolean(),
  isTerminal: z.boolean(),
});

const { PATH = '' } = process.env;
const terminal = createTerminal(process.stdout, process.stderr);

const perform = async (message: unknown): Promise<void> => {
  const { args, env, cwd, mark, isTyped, isTerminal } = order.parse(message);
  process.chdir(cwd);
  process.env = { PATH, ...env };
  Object.defineProperty(process.stdin, 'isTTY', { value: isTerminal, configurable: true });
  const code = await runCli(args, terminal, ...(isTyped ? [TYPED_COMMAND] : []));
  // The directory of the command may be removed or unmounted now.
  process.chdir('/');
  process.stdout.write(mark);
  process.stderr.write(mark);
  process.send?.({ code });
};

process.on('message', (message) => void perform(message));
process.once('disconnect', () => process.exit());
