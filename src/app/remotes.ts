import type { Clock } from '../clock.ts';
import type { LinkConfig } from '../config.ts';
import type { Side } from '../contact/side.ts';
import type { Gate } from '../http/gate.ts';
import { readRateHeaders, type AnswerHeaders, type RateHeaders } from '../http/rate-headers.ts';
import { createTransport, type TransportRequest } from '../http/transport.ts';
import type { Account } from '../providers/account.ts';
import type { Remote } from '../providers/remote.ts';
import { digest, openGate, openServiceGate, type Limits } from './gates.ts';

/** What a side told when it was asked who is behind a token. */
export type Inspection = {
  readonly account: Account;
  /** The side's own time when it answered, epoch milliseconds. */
  readonly serverTimeMs: number | null;
  readonly rate: RateHeaders;
};

/** How long one request may be tried again and again; with the timeouts below a command gives up within 90 s. */
const RETRY_BUDGET_MS = 25_000;
const SERVICE_TIMEOUT_MS = 15_000;
/** A batch of 200 contacts takes Google longer than one contact takes the service. */
const GOOGLE_TIMEOUT_MS = 30_000;

type Transport = ReturnType<typeof createTransport>;

/** What opening a remote needs. */
export type Network = Limits & {
  readonly clock: Clock;
  /** At least 0, less than 1. */
  readonly random: () => number;
  /** Everything that was opened, to be closed at the end. */
  readonly transports: Transport[];
};

/** A side's one way out to the network, with a count of what went through it. */
const openTransport = (
  network: Network,
  timeoutMs: number,
  gatesFor: (request: TransportRequest) => readonly Gate[],
  onAnswer?: (headers: AnswerHeaders) => void,
): { dispatcher: Transport; requestCount: () => number } => {
  let requests = 0;
  const dispatcher = createTransport({
    gatesFor,
    onAttempt: () => {
      requests += 1;
    },
    ...(onAnswer && { onAnswer: (_attempt, _status, headers) => onAnswer(headers) }),
    headersTimeoutMs: timeoutMs,
    bodyTimeoutMs: timeoutMs,
  });
  network.transports.push(dispatcher);
  return { dispatcher, requestCount: () => requests };
};

/** The service behind the port of both sides. */
export const openService = async (network: Network, link: LinkConfig, accessToken: string): Promise<Remote> => {
  const { createServiceRemote } = await import('../providers/service/service-remote.ts');
  const gate = await openServiceGate(network, link, accessToken);
  const transport = openTransport(network, SERVICE_TIMEOUT_MS, () => [gate]);
  const { clock, random } = network;
  const { baseUrl } = link.service;
  return createServiceRemote({ baseUrl, accessToken, ...transport, clock, random, maxElapsedMs: RETRY_BUDGET_MS });
};

type OnAnswer = (headers: AnswerHeaders) => void;

/** What both ways to use a Google account need: where it is, its credential, and a governed way out to the network. */
const connectGoogle = async (network: Network, link: LinkConfig, refreshToken: string, onAnswer?: OnAnswer) => {
  const { classifyGoogleRequest } = await import('../providers/google/limits.ts');
  const { clientId, clientSecret, rootUrl, tokenUrl, readLimit, writeLimit } = link.google;
  const key = `google ${digest(`${rootUrl} ${refreshToken}`)}`;
  const gates = {
    read: await openGate(network, `${key} read`, link, 'google', readLimit),
    write: await openGate(network, `${key} write`, link, 'google', writeLimit),
  };
  const gatesFor = ({ method, path }: TransportRequest): readonly Gate[] =>
    classifyGoogleRequest(method, path).map((quota) => gates[quota]);
  const transport = openTransport(network, GOOGLE_TIMEOUT_MS, gatesFor, onAnswer);
  const { clock, random } = network;
  return {
    rootUrl,
    tokenUrl,
    clientId,
    clientSecret: clientSecret.reveal(),
    refreshToken,
    ...transport,
    clock,
    random,
  };
};

/** Google behind the port of both sides. */
export const openGoogle = async (network: Network, link: LinkConfig, refreshToken: string): Promise<Remote> => {
  const { createGoogleRemote } = await import('../providers/google/google-remote.ts');
  const connection = await connectGoogle(network, link, refreshToken);
  return createGoogleRemote({ ...connection, maxElapsedMs: RETRY_BUDGET_MS });
};

const readAccount = async (
  network: Network,
  link: LinkConfig,
  side: Side,
  { token, signal, onAnswer }: { readonly token: string; readonly signal: AbortSignal; readonly onAnswer: OnAnswer },
): Promise<Account> => {
  if (side === 'google') {
    const { readGoogleAccount } = await import('../providers/google/account.ts');
    return readGoogleAccount({ ...(await connectGoogle(network, link, token, onAnswer)), maxElapsedMs: 0 }, signal);
  }
  const { readServiceAccount } = await import('../providers/service/account.ts');
  const gate = await openServiceGate(network, link, token);
  const { dispatcher } = openTransport(network, SERVICE_TIMEOUT_MS, () => [gate], onAnswer);
  return readServiceAccount(
    { baseUrl: link.service.baseUrl, accessToken: token, dispatcher, clock: network.clock },
    signal,
  );
};

/** Asks a side, with one request of its API and no retries, who is behind a token. Throws a RemoteError. */
export const inspectSide = async (
  network: Network,
  link: LinkConfig,
  side: Side,
  credential: { readonly token: string; readonly signal: AbortSignal },
): Promise<Inspection> => {
  let headers: AnswerHeaders = {};
  const onAnswer = (latest: AnswerHeaders): void => {
    headers = latest;
  };
  const account = await readAccount(network, link, side, { ...credential, onAnswer });
  await network.gates.save();
  const serverTimeMs = Date.parse(String(headers['date'] ?? ''));
  return {
    account,
    serverTimeMs: Number.isNaN(serverTimeMs) ? null : serverTimeMs,
    rate: readRateHeaders(headers, network.clock.now()),
  };
};
