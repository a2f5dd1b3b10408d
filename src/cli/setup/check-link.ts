import { capitalized } from '../../core/view/words.ts';
import type { App } from '../../app/app.ts';
import { endpointOf, placeOf } from '../../app/config/accounts.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import { encryptionRemedy, unencryptedAddresses } from '../../app/config/unencrypted.ts';
import { SIDES, type Side, type SideWords } from '../../core/contact/side.ts';
import { accountWords } from '../../providers/account.ts';
import { ClientRefusedError, isCredentialError, RemoteError, type CredentialError } from '../../providers/errors.ts';
import type { Inspection, Provider } from '../../providers/provider.ts';
import { providerNamed } from '../../providers/registry.ts';
import type { Credential } from '../../store/vault.ts';
import { EXIT, exitCodeOf, messageOf } from '../command/exit-codes.ts';
import { formatTime } from '../terminal/layout.ts';
import { fault, fine, warning, type Finding } from './finding.ts';

/** The findings about a side or a link. */
type SideReport = {
  readonly findings: readonly Finding[];
  /** Each account that answered, with its provider and address. */
  readonly accounts: readonly string[];
};

export type LinkReport = SideReport & { readonly link: string };

type Subject = { readonly app: App; readonly link: LinkConfig; readonly side: Side } & Circumstances;

type Circumstances = {
  readonly signal: AbortSignal;
  /** False if no request can be sent, because Redis with the shared rate limits cannot be used. */
  readonly asksSides: boolean;
};

const wordsOf = ({ link, side }: Subject): SideWords => link.sides[side];
const providerOf = ({ link, side }: Subject): Provider => providerNamed(link.sides[side].provider);

/** The subject of a finding: a side, or a part of it such as its `credentials`. */
const about = (subject: Subject, part?: string) => {
  const { name } = wordsOf(subject);
  return { name: part === undefined ? name : `${name}-${part}`, link: subject.link.name };
};

const connectCommand = (subject: Subject): string =>
  `Sign in: contact-sync connect ${wordsOf(subject).name} ${subject.link.name}`;

type Token =
  | { readonly token: string; readonly origin: string; readonly stored: Credential | null }
  | { readonly token: null; readonly finding: Finding };

const findToken = async (subject: Subject): Promise<Token> => {
  const { app, link, side } = subject;
  const { name, token: configured } = link.sides[side];
  if (configured !== null) return { token: configured.reveal(), origin: 'from the configuration', stored: null };
  const credentials = about(subject, 'credentials');
  try {
    const stored = await app.vault.read(link.name, name);
    if (stored === null) {
      return { token: null, finding: fault(credentials, 'no token', connectCommand(subject), EXIT.credentials) };
    }
    const seal = app.vault.seals ? 'encrypted' : 'not encrypted';
    return { token: stored.token, origin: `stored by connect on ${formatTime(stored.storedAtMs)}, ${seal}`, stored };
  } catch (error) {
    return { token: null, finding: fault(credentials, messageOf(error), null, EXIT.credentials) };
  }
};

const scopesOf = (stored: Credential | null): string =>
  stored?.scopes ? `scopes ${stored.scopes.join(' ')}` : 'scopes unknown';

/** The finding about a token that is accepted: its account and its rights, if they are known. */
const judgeAccount = async (
  subject: Subject,
  { account }: Inspection,
  { origin, stored }: { readonly origin: string; readonly stored: Credential | null },
): Promise<Finding> => {
  const { app, link, side } = subject;
  const credentials = about(subject, 'credentials');
  const known = (await app.store.links()).find(({ name }) => name === link.name)?.accounts[side] ?? null;
  if (known !== null && account.id !== null && known !== account.id) {
    const detail = `${account.email ?? account.id} is not the account that the link was made with (${known})`;
    return fault(credentials, detail, connectCommand(subject), EXIT.credentials);
  }
  const rights = providerOf(subject).signIn === null ? 'password accepted' : scopesOf(stored);
  return fine(credentials, `${accountWords(account)}, ${rights}, ${origin}`);
};

/** The facts that a provider reports about the account. */
const judgeChecks = (subject: Subject, { checks = [] }: Inspection): readonly Finding[] =>
  checks.map(({ name, detail, remedy }) =>
    remedy === null ? fine(about(subject, name), detail) : warning(about(subject, name), detail, remedy),
  );

const credentialRemedy = (subject: Subject, error: CredentialError): string => {
  if (error instanceof ClientRefusedError) return 'Correct it in the configuration.';
  const { tokenKey } = wordsOf(subject);
  return tokenKey === undefined ? connectCommand(subject) : `The credential is set in ${tokenKey}. Replace it there.`;
};

/** Splits a message into the failure and its remedy, which is at the end of some messages. */
const splitMessage = (message: string): { readonly detail: string; readonly remedy: string | null } => {
  const [, detail = message, verb = '', rest = ''] = /^(.*): (check|write|leave) (.*?)\.?$/su.exec(message) ?? [];
  return { detail, remedy: verb === '' ? null : `${capitalized(verb)} ${rest}.` };
};

/** The findings about a side that failed: its credential was refused, or it did not answer as expected. */
const judgeFailure = (subject: Subject, error: unknown): readonly Finding[] => {
  const { link, side } = subject;
  const credentials = about(subject, 'credentials');
  const remote = about(subject);
  if (isCredentialError(error)) {
    return [
      fine(remote, `answered with ${error.status ?? 'a refusal'}`),
      fault(credentials, error.message, credentialRemedy(subject, error), EXIT.credentials),
    ];
  }
  const address = providerOf(subject)
    .addressKeys.map((key) => placeOf(link, side, key))
    .join(' and ');
  const { detail, remedy } = splitMessage(messageOf(error));
  const isPermanent = error instanceof RemoteError && error.retry === 'never';
  const check = remedy ?? `Check the network and ${address}.`;
  return [
    fault(remote, detail, isPermanent ? check : `${check} Otherwise try again later.`, exitCodeOf(error)),
    warning(credentials, 'the token was not checked', 'Run doctor again when the side answers.'),
  ];
};

const checkSide = async (subject: Subject, now: () => number): Promise<SideReport> => {
  const { app, link, side, signal, asksSides } = subject;
  const found = await findToken(subject);
  const remote = about(subject);
  if (found.token === null) {
    const notAsked = warning(remote, 'not checked: no token', connectCommand(subject));
    return { findings: [found.finding, notAsked], accounts: [] };
  }
  if (!asksSides) {
    return { findings: [warning(remote, 'not checked: requests need Redis', 'See redis above.')], accounts: [] };
  }
  try {
    const startedAtMs = now();
    const inspection = await app.inspect(link, side, found.token, signal);
    const endedAtMs = now();
    const answered = fine(remote, `answered in ${Math.round(endedAtMs - startedAtMs)} ms`);
    const findings = [answered, await judgeAccount(subject, inspection, found), ...judgeChecks(subject, inspection)];
    const { id } = inspection.account;
    return {
      findings,
      accounts: id === null ? [] : [`${endpointOf(link.sides[side])} ${id}`],
    };
  } catch (error) {
    signal.throwIfAborted();
    return { findings: judgeFailure(subject, error), accounts: [] };
  }
};

const checkState = async (app: App, link: LinkConfig): Promise<Finding> => {
  const itself = { name: 'link', link: link.name };
  const { state, reason } = await app.store.link(link.name);
  if (state === 'active') return fine(itself, 'active');
  return warning(itself, `${state}: ${reason ?? 'unknown reason'}`, `See contact-sync status ${link.name}.`);
};

const checkAddresses = (link: LinkConfig): readonly Finding[] =>
  unencryptedAddresses(link).map((address) =>
    warning(
      { name: `${address.side}-address`, link: link.name },
      `${address.where} begins with http://: the credential and all contacts go to ${address.host} unencrypted`,
      encryptionRemedy([address]),
    ),
  );

/**
 * Checks one link: its state, its addresses, and for each side the credential and the answer. `now` returns epoch
 * milliseconds.
 */
export const checkLink = async (
  app: App,
  link: LinkConfig,
  { now, ...circumstances }: Circumstances & { readonly now: () => number },
): Promise<LinkReport> => {
  const reports: SideReport[] = [];
  for (const side of SIDES) reports.push(await checkSide({ app, link, side, ...circumstances }, now));
  return {
    link: link.name,
    findings: [await checkState(app, link), ...checkAddresses(link), ...reports.flatMap(({ findings }) => findings)],
    accounts: reports.flatMap(({ accounts }) => accounts),
  };
};

/** A fault for each link that connects the same two accounts as an earlier link of the list. */
export const judgeSameAccounts = (reports: readonly LinkReport[]): readonly Finding[] =>
  reports.flatMap(({ link, accounts }, at) => {
    const isSame = (other: LinkReport): boolean =>
      accounts.length === 2 && other.accounts.toSorted().join('\n') === accounts.toSorted().join('\n');
    const other = reports.slice(0, at).find(isSame);
    if (other === undefined) return [];
    const detail = `connects the same two accounts as the link ${other.link}; each contact would be created twice`;
    const remedy = 'Keep one of the two links, with a selection of contacts or buckets if needed.';
    return [fault({ name: 'accounts', link }, detail, remedy, EXIT.halted)];
  });
