import { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { printable } from '../../util/printable.ts';
import type { Layout } from './layout.ts';

type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow';

/** The output of a command for people and scripts: stdout and stderr, and their properties. */
export type Terminal = {
  /** Standard output itself, on which bars are drawn. */
  readonly stdout: NodeJS.WriteStream;
  /** True if lines may be redrawn: stdout is a terminal with colours (TERM), and NO_COLOR is not set. */
  readonly redraws: boolean;
  /** Prints lines to stdout, with control and bidirectional characters escaped. */
  print(text: string): void;
  /** Prints lines to stderr, with the same characters escaped. */
  warn(text: string): void;
  /** Standard error for a logger, with the same diversion as `warn`. */
  readonly log: NodeJS.WritableStream & { readonly isTTY: boolean; hasColors(): boolean };
  /** Redirects the lines for stderr while bars are drawn on the same terminal; null ends that. */
  divert(to: ((lines: string) => void) | null): void;
  /** Styles a text for stdout. The text stays plain if stdout is not a terminal or NO_COLOR is set. */
  style(style: Style, text: string): string;
};

/** The escape sequences of {@link Terminal.style}, and those that end them. */
const OWN_STYLES = /(\u001B\[(?:1|2|22|31|32|33|39)m)/u;

/** Escapes all control characters except the program's own styles, which are kept if the stream is a terminal. */
const sanitise = (text: string, stream: { readonly isTTY?: boolean }): string => {
  if (!stream.isTTY) return printable(text);
  return text
    .split(OWN_STYLES)
    .map((part, index) => (index % 2 === 1 ? part : printable(part)))
    .join('');
};

/** True if Node would colour the stream: it is a terminal, and TERM and NO_COLOR allow colours. */
const hasColors = (stream: NodeJS.WriteStream): boolean => (stream.isTTY ? stream.hasColors() : false);

/** A reader that has closed the output does not want the rest. Any other lost output makes the exit code of a command 1. */
const onPrinted = (error?: NodeJS.ErrnoException | null): void => {
  if (error && error.code !== 'EPIPE') process.exitCode ||= 1;
};

/**
 * The streams of the process as a {@link Terminal}. A command continues if its output is lost: the reader has closed it, or the disk
 * under it is full.
 */
export const createTerminal = (stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream): Terminal => {
  for (const stream of [stdout, stderr]) stream.on('error', () => undefined);
  let diverted: ((lines: string) => void) | null = null;
  const writeError = (lines: string): void => {
    if (diverted !== null && stderr.isTTY) diverted(lines);
    else stderr.write(lines);
  };
  const log = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      writeError(chunk.toString());
      done();
    },
  });
  // `init` runs other commands, and each of them opens a log.
  log.setMaxListeners(0);
  return {
    stdout,
    redraws: hasColors(stdout),
    print: (text) => void stdout.write(`${sanitise(text, stdout)}\n`, onPrinted),
    warn: (text) => writeError(`${sanitise(text, stderr)}\n`),
    log: Object.assign(log, { isTTY: stderr.isTTY, hasColors: () => hasColors(stderr) }),
    divert: (to) => {
      diverted = to;
    },
    style: (style, text) => styleText(style, text, { stream: stdout }),
  };
};

/** The longest line, in columns; Infinity for a pipe, whose lines are not broken. */
export const widthOf = ({ stdout }: Pick<Terminal, 'stdout'>): number => stdout.columns || Number.POSITIVE_INFINITY;

/** The layout of lines for people on this terminal. */
export const layoutOf = (terminal: Terminal): Layout => ({
  width: widthOf(terminal),
  style: (style, text) => terminal.style(style, text),
});
