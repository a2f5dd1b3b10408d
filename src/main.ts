#!/usr/bin/env node
import './util/require-node.js';

// Imported after the version check: on an old Node a native module would crash before the message is printed.
const { enableCompileCache } = await import('./util/package.ts');
enableCompileCache();
const { runCli } = await import('./cli/program.ts');
const { createTerminal } = await import('./cli/terminal/terminal.ts');
const { TYPED_COMMAND } = await import('./cli/terminal/typed-command.ts');

process.exitCode = await runCli(process.argv.slice(2), createTerminal(process.stdout, process.stderr), TYPED_COMMAND);
