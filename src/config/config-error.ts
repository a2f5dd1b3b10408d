/** One fault of the configuration: the key or variable, what is wrong with it and what to do. Never a secret's value. */
export type ConfigProblem = { readonly where: string; readonly what: string };

/** The configuration cannot be used; `problems` holds every fault that was found, and the message lists them. */
export class ConfigError extends Error {
  readonly problems: readonly ConfigProblem[];

  /** The hint says what else may help. */
  constructor(problems: readonly ConfigProblem[], hint: string | null = null) {
    const title = `The configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:`;
    const lines = problems.map(({ where, what }) => `  - ${where}: ${what}`);
    super([title, ...lines, ...(hint === null ? [] : [hint])].join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}
