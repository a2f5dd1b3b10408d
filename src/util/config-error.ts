/** One fault of the configuration: the key or variable, what is wrong with it and what to do. Never a secret's value. */
export type ConfigProblem = { readonly where: string; readonly what: string };

/** Each problem as a text. */
export const problemTexts = (problems: readonly ConfigProblem[]): readonly string[] =>
  problems.map(({ where, what }) => `${where} ${what}`);

/** The configuration cannot be used; `problems` holds every fault that was found, and the message lists them. */
export class ConfigError extends Error {
  readonly problems: readonly ConfigProblem[];

  /** `hints` are further remedies; a hint that is null is left out. */
  constructor(problems: readonly ConfigProblem[], hints: readonly (string | null)[] = []) {
    const title = `The configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:`;
    const lines = problems.map(({ where, what }) => `  - ${where}: ${what}`);
    super([title, ...lines, ...hints.filter((hint) => hint !== null)].join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}
