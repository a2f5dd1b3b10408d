import { faultOf, isSecretSetting, settingsToAsk, type AskedSetting, type SetUp } from '../../config/set-up.ts';
import { isName } from '../../config/link-sections.ts';
import { USUAL_PROVIDERS } from '../../config/sides.ts';
import { variableOf } from '../../config/sources.ts';
import { bySide, SIDES, type Side, type Sides } from '../../contact/side.ts';
import { PROVIDERS, providerNamed } from '../../providers/registry.ts';
import type { Prompts } from './prompts.ts';

/** Where secrets are written: the configuration file, a `.env` beside it, or nowhere, since variables give them. */
const SECRET_PLACES = ['file', 'env', 'none'] as const;
export type SecretPlace = (typeof SECRET_PLACES)[number];

/** What is known before anything is asked. */
export type Known = {
  /** The providers that options name. */
  readonly providers: Partial<Sides<string>>;
  readonly secrets: SecretPlace | null;
  /** Settings that variables hold, by their dotted keys. */
  readonly settings: ReadonlyMap<string, string>;
};

export type Answers = SetUp & { readonly secrets: SecretPlace };

/** Answers nothing by itself: everything that is asked gets its usual answer. */
export const NOBODY: Pick<Prompts, 'ask' | 'askHidden'> = {
  ask: (_, usual) => Promise.resolve(usual),
  askHidden: (_, usual) => Promise.resolve(usual),
};

type Asker = Pick<Prompts, 'ask' | 'askHidden'>;

const USUAL_INTERVAL = '5m';

const oneOf =
  (words: readonly string[]) =>
  (answer: string): string | null =>
    words.includes(answer) ? null : `is not one of ${words.join(', ')}.`;

const askProvider = async (asker: Asker, side: Side, known: Known): Promise<string> => {
  const names = PROVIDERS.map(({ name }) => name).toSorted();
  const question = `Which provider is on the ${side} side (${names.join(', ')})`;
  return known.providers[side] ?? (await asker.ask(question, USUAL_PROVIDERS[side], oneOf(names)));
};

const askName = (asker: Asker, side: Side): Promise<string> =>
  asker.ask(`What is the ${side} side called`, side, (answer) =>
    isName(answer) ? null : 'is not a name. Use letters, digits, - and _.',
  );

const askSides = async (asker: Asker, known: Known): Promise<SetUp['sides']> => {
  const providers = {
    left: await askProvider(asker, 'left', known),
    right: await askProvider(asker, 'right', known),
  };
  const areAlike = providers.left === providers.right;
  const names = areAlike ? { left: await askName(asker, 'left'), right: await askName(asker, 'right') } : null;
  return bySide((side) => ({ provider: providers[side], name: names?.[side] ?? null }));
};

const askSecretPlace = async (asker: Asker, { secrets }: Known): Promise<SecretPlace> => {
  if (secrets !== null) return secrets;
  const question =
    'Where do secrets go: file (the configuration file), env (a .env beside it), none (you set variables)';
  const answer = await asker.ask(question, 'file', oneOf(SECRET_PLACES));
  return SECRET_PLACES.find((place) => place === answer) ?? 'file';
};

const askSetting = (asker: Asker, setting: AskedSetting, usual: string): Promise<string> => {
  const { key, description, isSecret, isRequired } = setting;
  const question = `${variableOf(key)}: ${description}${isRequired ? '' : ' Enter leaves it out.'}`.replace(/\.$/u, '');
  const check = (answer: string): string | null => (answer === '' && !isRequired ? null : faultOf(key, answer));
  return isSecret ? asker.askHidden(question, usual, check) : asker.ask(question, usual, check);
};

/** Everything that a new link needs, from a person or from the variables. */
export const askAll = async (asker: Asker, known: Known): Promise<Answers> => {
  const sides = await askSides(asker, known);
  const secrets = await askSecretPlace(asker, known);
  const settings = new Map(known.settings);
  const providers = new Set(SIDES.map((side) => providerNamed(sides[side].provider).name));
  for (const setting of [...providers].flatMap(settingsToAsk)) {
    const { key, isSecret } = setting;
    if (known.settings.has(`${key}File`) || (isSecret && secrets === 'none')) continue;
    const answer = await askSetting(asker, setting, known.settings.get(key) ?? '');
    if (answer !== '') settings.set(key, answer);
  }
  const usual = known.settings.get('syncInterval') ?? USUAL_INTERVAL;
  const check = (answer: string): string | null => faultOf('syncInterval', answer);
  settings.set('syncInterval', await asker.ask('Time between two runs of the daemon (30s, 5m, 6h)', usual, check));
  // Those of a provider that plays no side stay out of the file.
  const mine = [...settings].filter(([key]) => !key.includes('.') || providers.has(key.split('.')[0] ?? ''));
  return { sides, secrets, settings: new Map(mine) };
};

/** The settings that the configuration file gets, and those that the `.env` gets. */
export const divide = ({ secrets, settings }: Answers) => {
  const isSecret = ([key]: readonly [string, string]): boolean => isSecretSetting(key);
  const open = [...settings].filter((entry) => secrets === 'file' || !isSecret(entry));
  const hidden = secrets === 'env' ? [...settings].filter(isSecret) : [];
  return { inFile: new Map(open), inEnv: new Map(hidden) };
};
