/** One fault of the configuration: the key or variable, what is wrong with it and what to do. Never a secret's value. */
export type ConfigProblem = { readonly where: string; readonly what: string };

/** Each problem as a text. */
export const problemTexts = (problems: readonly ConfigProblem[]): readonly string[] =>
  problems.map(({ where, what }) => `${where} ${what}`);

type Circumstances = { readonly dataDir: string | null; readonly hint: string | null };

/** The configuration cannot be used; `problems` holds every fault that was found, and the message lists them. */
export class ConfigError extends Error {
  readonly problems: readonly ConfigProblem[];
  /** The absolute path of DATA_DIR as far as it is known, because a daemon may work there; null if unknown. */
  readonly dataDir: string | null;

  /** `hint` is a further remedy. */
  constructor(problems: readonly ConfigProblem[], { dataDir = null, hint = null }: Partial<Circumstances> = {}) {
    const title = `The configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:`;
    const lines = problems.map(({ where, what }) => `  - ${where}: ${what}`);
    super([title, ...lines, ...(hint === null ? [] : [hint])].join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
    this.dataDir = dataDir;
  }
}
