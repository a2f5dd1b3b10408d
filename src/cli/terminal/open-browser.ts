import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import open from 'open';

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const redirectPage = (address: string): string => {
  const target = escapeHtml(address);
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>contact-sync sign-in</title>' +
    `<meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${target}"></head>` +
    `<body><p><a href="${target}">Continue to the sign-in page</a></p></body></html>`
  );
};

/**
 * Opens an address in the default browser. Other users can read the arguments of a process, and a sign-in address is secret:
 * the browser gets a redirect file that only this user can read. Disposing of the result deletes the file. Without a browser
 * nothing is opened.
 */
export const openBrowser = async (address: string): Promise<AsyncDisposable> => {
  const directory = await mkdtemp(join(tmpdir(), 'contact-sync-'));
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true });
  const file = join(directory, 'sign-in.html');
  try {
    await writeFile(file, redirectPage(address), { mode: 0o600, flag: 'wx' });
    await open(file).catch(() => undefined);
  } catch (error) {
    await remove();
    throw error;
  }
  return { [Symbol.asyncDispose]: remove };
};
