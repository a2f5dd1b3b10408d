import { z } from 'zod';
import { runCli } from '../../src/cli/program.ts';
import { createTerminal } from '../../src/cli/terminal/terminal.ts';
import { TYPED_COMMAND } from '../../src/cli/terminal/typed-command.ts';

// The real command line on a process's own streams, like `src/main.ts`, but one command after the other: what a command
// prints, and what anything in the process prints meanwhile, ends with the mark that its order names.

const order = z.object({
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()),
  cwd: z.string(),
  mark: z.string(),
  /** Whether texts name commands as they are typed in a checkout, as `src/main.ts` does. */
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
