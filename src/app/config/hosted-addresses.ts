import { SIDES, type Sides } from '../../core/contact/side.ts';
import { layerBelow, type Layer, type Report } from './sources.ts';
import type { DeclaredSide } from './sides.ts';

// Settings of links in the database come from other people than those of the operator. An address among them decides where
// tokens, contacts and the secret of the client are sent.

const HTTPS_PORT = '443';
const HTTP_PORT = '80';

/** Whether one of the hosts, `host` or `host:port`, is that of the URL. */
const isHostAmong = (hosts: readonly string[], { hostname, port, protocol }: URL): boolean => {
  const usualPort = protocol === 'https:' ? HTTPS_PORT : HTTP_PORT;
  return hosts.includes(hostname) || hosts.includes(`${hostname}:${port || usualPort}`);
};

/** The first layer that has a setting, or the file of a secret one. */
const layerWith = (key: string, layers: readonly Layer[]): Layer | undefined =>
  layers.find(({ values }) => values.has(key) || values.has(`${key}File`));

const urlIn = (key: string, layers: readonly Layer[]): URL | null => {
  const value = layerWith(key, layers)?.values.get(key);
  return typeof value === 'string' ? URL.parse(value) : null;
};

const withoutSlash = (url: URL | null): string | undefined => url?.href.replace(/\/+$/u, '');

type SideLayers = {
  readonly provider: DeclaredSide['provider'];
  /** Of the link. */
  readonly own: readonly Layer[];
  readonly environment: Layer;
  /** The top of the file. */
  readonly common: Layer;
};

/** The address that the operator has set, or the provider's default. */
const operatorUrl = (key: string, { provider, environment, common }: SideLayers): URL | null => {
  const set = urlIn(key, [environment, common]);
  const usual = set === null ? provider.schema.shape[key]?.safeParse(undefined).data : null;
  return set ?? (typeof usual === 'string' ? URL.parse(usual) : null);
};

/** The addresses of a link that differ from those of the operator; reports those whose host is not allowed. */
const foreignAddresses = (side: SideLayers, hosts: readonly string[], report: Report): readonly string[] =>
  side.provider.addresses.all.filter((key) => {
    const url = urlIn(key, side.own);
    if (url === null || withoutSlash(url) === withoutSlash(operatorUrl(key, side))) return false;
    const where = layerWith(key, side.own)?.nameOf(key) ?? key;
    if (!isHostAmong(hosts, url)) {
      report(
        where,
        `leads to ${url.host}, which is not among the hosts that links in the database may name. Remove it, or have the ` +
          'operator add the host to HOSTED_LINK_HOSTS.',
      );
    }
    return true;
  });

/** Reports a credential of the operator that would be sent to an address of the link. */
const reportShared = (key: string, side: SideLayers, to: string, report: Report): void => {
  const [shared, own] = [layerWith(key, [side.environment, side.common]), layerWith(key, side.own)];
  const isVariable = shared === side.environment;
  if (shared === undefined || (own !== undefined && !isVariable)) return;
  const where = side.own.at(-1)?.nameOf(key) ?? key;
  const remedy = isVariable ? `${shared.nameOf(key)} wins over it: remove the variable.` : 'Set it in the link.';
  report(where, `would be the value that all links share, and ${to} of this link would receive it. ${remedy}`);
};

/**
 * Reports the addresses of a link in the database that its operator does not allow, and each credential of the operator that
 * an address of the link would receive. `section` has the link's settings outside of its sides.
 */
export const reportForeignAddresses = (
  sides: Sides<DeclaredSide>,
  { section, environment, common }: { readonly section: Layer; readonly environment: Layer; readonly common: Layer },
  { hosts, report }: { readonly hosts: readonly string[]; readonly report: Report },
): void => {
  const problems = new Map<string, () => void>();
  const once: Report = (where, what) => problems.set(`${where} ${what}`, () => report(where, what));
  for (const { provider, own } of SIDES.map((side) => sides[side])) {
    const below = (layer: Layer): Layer => layerBelow(`${provider.name}.`, layer);
    const side = { provider, own: [own, below(section)], environment: below(environment), common: below(common) };
    const foreign = foreignAddresses(side, hosts, once);
    const [first] = foreign;
    if (first !== undefined) reportShared(provider.tokenKey, side, first, once);
    const { receivingSecret } = provider.addresses;
    if (!foreign.includes(receivingSecret)) continue;
    for (const key of provider.clientKeys) reportShared(key, side, receivingSecret, once);
  }
  for (const reportProblem of problems.values()) reportProblem();
};
