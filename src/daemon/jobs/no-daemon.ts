import { readLiveHeartbeat } from '../../app/heartbeat.ts';

/** Why no daemon takes orders from a command, as a sentence. */
export type NoDaemon = { readonly why: string };

/** Where REDIS_URL is not set no daemon can be asked, whether one runs or not. `nowMs` in epoch milliseconds. */
export const findNoQueue = async (dataDir: string, nowMs: number): Promise<NoDaemon> => {
  const beat = await readLiveHeartbeat(dataDir, nowMs);
  if (beat === null) return { why: 'No daemon runs here.' };
  return beat.queue === 'redis'
    ? { why: 'The daemon on this machine receives jobs through Redis, but REDIS_URL is not set for this command.' }
    : {
        why: 'The daemon on this machine receives no jobs, because REDIS_URL is not set. It waits while another process syncs.',
      };
};
