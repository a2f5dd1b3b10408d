import { EXIT, type ExitCode } from '../command/exit-codes.ts';

/** The result of one check. A sync works despite a warning, but not despite an error. */
export type Finding = {
  readonly name: string;
  /** Null if it concerns all links. */
  readonly link: string | null;
  readonly level: 'ok' | 'warning' | 'error';
  readonly detail: string;
  /** The remedy; null if there is nothing to do. */
  readonly remedy: string | null;
  /** The exit code of an error. */
  readonly code: ExitCode;
};

type Subject = { readonly name: string; readonly link?: string };

export const fine = ({ name, link }: Subject, detail: string): Finding => ({
  name,
  link: link ?? null,
  level: 'ok',
  detail,
  remedy: null,
  code: EXIT.done,
});

export const warning = (subject: Subject, detail: string, remedy: string): Finding => ({
  ...fine(subject, detail),
  level: 'warning',
  remedy,
});

export const fault = (
  subject: Subject,
  detail: string,
  remedy: string | null,
  code: ExitCode = EXIT.failed,
): Finding => ({ ...fine(subject, detail), level: 'error', remedy, code });
