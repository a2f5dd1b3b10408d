/** Prints what the changelog says of a version, for the page of its release. */
import { readFileSync } from 'node:fs';
import { notesOf } from './changelog.ts';

process.stdout.write(`${notesOf(readFileSync('CHANGELOG.md', 'utf8'), process.argv[2] ?? '')}\n`);
