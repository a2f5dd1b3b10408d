#!/usr/bin/env node
import { runCli } from './cli/program.ts';
import { createTerminal } from './cli/terminal.ts';

process.exitCode = await runCli(process.argv.slice(2), createTerminal(process.stdout, process.stderr));
