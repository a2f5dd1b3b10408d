/** One fault of the configuration: the key or variable, what is wrong with it and what to do. Never a secret's value. */
export type ConfigProblem = { readonly where: string; readonly what: string };

type Circumstances = { readonly dataDir: string | null; readonly hint: string | null };

/** The configuration cannot be used; `problems` holds every fault that was found, and the message lists them. */
export class ConfigError extends Error {
  readonly problems: readonly ConfigProblem[];
  /** DATA_DIR as far as it can be told, an absolute path: a daemon may be at work there; null where that is no question. */
  readonly dataDir: string | null;

  /** The hint says what else may help. */
  constructor(problems: readonly ConfigProblem[], { dataDir = null, hint = null }: Partial<Circumstances> = {}) {
    const title = `The configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:`;
    const lines = problems.map(({ where, what }) => `  - ${where}: ${what}`);
    super([title, ...lines, ...(hint === null ? [] : [hint])].join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
    this.dataDir = dataDir;
  }
}
