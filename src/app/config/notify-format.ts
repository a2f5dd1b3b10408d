import type { Secret } from '../../util/secret.ts';

/** How a webhook takes notifications: JSON with every key, or a text as Slack takes it. */
export type NotifyFormat = 'json' | 'slack';

const SLACK_HOSTS = /(?:^|\.)slack(?:-gov)?\.com$/u;
/** Hosts of other programs that take Slack's format, at any path or at the one that ends so. */
const OTHERS: readonly (readonly [host: RegExp, path: RegExp])[] = [
  [/^chat\.googleapis\.com$/u, /^/u],
  [/^(?:.+\.)?discord(?:app)?\.com$/u, /\/slack$/u],
];

/** The format that the address of a webhook takes; that of other programs where there is no address. */
export const notifyFormatOf = (address: Secret | null): NotifyFormat => {
  if (address === null) return 'json';
  const { hostname, pathname } = new URL(address.reveal());
  const isSlack =
    SLACK_HOSTS.test(hostname) || OTHERS.some(([host, path]) => host.test(hostname) && path.test(pathname));
  return isSlack ? 'slack' : 'json';
};
