import { isName } from '../../app/config/link-sections.ts';
import { faultOf, settingsToAsk, type SetUp } from '../../app/config/set-up.ts';
import { bySide, SIDES, type Side, type Sides } from '../../core/contact/side.ts';
import { USUAL_PROVIDERS } from '../../providers/names.ts';
import { PROVIDERS, providerNamed } from '../../providers/registry.ts';
import type { Asker } from '../terminal/prompts.ts';

/** The answers that are known before the first question. */
type KnownAnswers = {
  /** The providers from options. */
  readonly providers: Partial<Sides<string>>;
  /** The values from variables or the configuration file, by their dotted keys. */
  readonly settings: ReadonlyMap<string, string>;
};

/** Answers every question with its default. */
export const NON_INTERACTIVE: Asker = {
  text: (_, usual = '') => Promise.resolve(usual),
  secret: (_, usual = '') => Promise.resolve(usual),
  choice: (_message, _choices, usual) => Promise.resolve(usual),
  yesNo: (_, usual) => Promise.resolve(usual),
};

const USUAL_INTERVAL = '5m';

const askProvider = async (asker: Asker, side: Side, known: KnownAnswers): Promise<string> => {
  const choices = PROVIDERS.map(({ name, title }) => ({ value: name, name: title }));
  const usual = USUAL_PROVIDERS[side];
  return known.providers[side] ?? (await asker.choice(`Provider of the ${side} side`, choices, usual));
};

const askName = (asker: Asker, side: Side): Promise<string> =>
  asker.text(`Name of the ${side} side`, side, (answer) =>
    isName(answer) ? null : 'is not a name. Use letters, digits, - and _.',
  );

const askSides = async (asker: Asker, known: KnownAnswers): Promise<SetUp['sides']> => {
  const providers = {
    left: await askProvider(asker, 'left', known),
    right: await askProvider(asker, 'right', known),
  };
  const areAlike = providers.left === providers.right;
  const names = areAlike ? { left: await askName(asker, 'left'), right: await askName(asker, 'right') } : null;
  return bySide((side) => ({ provider: providers[side], name: names?.[side] ?? null }));
};

/** Asks for a setting of a provider in words: `Google: id of the OAuth client`. */
const askSetting = (
  asker: Asker,
  title: string,
  setting: ReturnType<typeof settingsToAsk>[number],
  usual: string,
): Promise<string> => {
  const { key, description, isSecret, isRequired } = setting;
  const skips = isRequired || usual !== '' ? '' : ' Enter skips it.';
  const hint = isSecret && usual !== '' ? ' Enter keeps the current value.' : skips;
  const message = `${title}: ${description.charAt(0).toLowerCase()}${description.slice(1)}${hint}`;
  const fault = (answer: string): string | null => (answer === '' && !isRequired ? null : faultOf(key, answer));
  return isSecret ? asker.secret(message, usual, fault) : asker.text(message, usual, fault);
};

/**
 * Asks for all settings of a new link. Settings of a provider that the link does not use are left out. `inform` prints a text
 * between two questions.
 */
export const askAll = async (asker: Asker, known: KnownAnswers, inform: (text: string) => void): Promise<SetUp> => {
  const sides = await askSides(asker, known);
  const settings = new Map(known.settings);
  const providers = new Set(SIDES.map((side) => sides[side].provider));
  const set = (key: string, answer: string): void => {
    if (answer === '') settings.delete(key);
    else settings.set(key, answer);
  };
  for (const provider of providers) {
    const { setUpHint, title } = providerNamed(provider);
    if (setUpHint !== undefined) inform(setUpHint);
    for (const setting of settingsToAsk(provider)) {
      const { key } = setting;
      if (!settings.has(`${key}File`)) set(key, await askSetting(asker, title, setting, settings.get(key) ?? ''));
    }
  }
  const usual = settings.get('syncInterval') ?? USUAL_INTERVAL;
  const fault = (answer: string): string | null => faultOf('syncInterval', answer);
  set('syncInterval', await asker.text('Time between two syncs of the daemon (30s, 5m, 6h)', usual, fault));
  const reviews = await asker.yesNo(
    'Wait for your approval before the first sync writes anything?',
    settings.get('firstSync') !== 'run',
  );
  set('firstSync', reviews ? 'review' : 'run');
  const isUsed = (key: string): boolean => !key.includes('.') || providers.has(key.split('.')[0] ?? '');
  return { sides, settings: new Map([...settings].filter(([key]) => isUsed(key))) };
};
