import { digest } from '../../util/secret.ts';
import type { Gate } from '../../net/gate.ts';
import type { Network } from '../provider.ts';
import type { ServiceSettings } from './settings.ts';

const gateName = ({ baseUrl, clientId, rateScope }: ServiceSettings, accessToken: string): string => {
  const owner = rateScope === 'token' ? `token ${accessToken}` : `application ${clientId ?? ''}`;
  return `service ${digest(`${baseUrl} ${owner}`)}`;
};

/** The gate that every request of the side goes through. */
export const openServiceGate = (settings: ServiceSettings, accessToken: string, network: Network): Promise<Gate> =>
  network.openGate(gateName(settings, accessToken), settings.rateLimit);
