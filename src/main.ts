#!/usr/bin/env node
import './require-node.js';

// Loaded only now: an old Node must be told before a native module brings it down.
const { keepCompiled, keepProcessSmall } = await import('./node-tuning.ts');
keepProcessSmall();
keepCompiled();
const { runCli } = await import('./cli/program.ts');
const { createTerminal } = await import('./cli/terminal.ts');
const { TYPED_COMMAND } = await import('./cli/typed-command.ts');

process.exitCode = await runCli(process.argv.slice(2), createTerminal(process.stdout, process.stderr), TYPED_COMMAND);
