import { spawn } from 'node:child_process';

const commandFor = (platform: NodeJS.Platform, address: string): readonly [command: string, ...args: string[]] => {
  switch (platform) {
    case 'darwin':
      return ['open', address];
    case 'win32':
      return ['rundll32', 'url.dll,FileProtocolHandler', address];
    default:
      return ['xdg-open', address];
  }
};

/** Opens an address in the user's browser where there is one; where there is none, nothing happens. */
export const openBrowser = (address: string, platform: NodeJS.Platform = process.platform): void => {
  const [command, ...args] = commandFor(platform, address);
  const child = spawn(command, args, { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
};
