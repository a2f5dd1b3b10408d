import { spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../network.ts';
import { serverUser } from '../server-user.ts';
import { curl, davFolder } from './dav-folder.ts';
import { awaitAnswer, type CarddavServer } from './server.ts';

/** The directory of Debian's packages cyrus-imapd and cyrus-caldav. */
const PROGRAMS = '/usr/lib/cyrus/bin';

/** Whether this machine has Cyrus with its HTTP server, and saslpasswd2, which sets passwords. */
export const hasCyrus = (): boolean =>
  existsSync(join(PROGRAMS, 'httpd')) &&
  existsSync(join(PROGRAMS, 'imapd')) &&
  spawnSync('saslpasswd2', ['-h'], { stdio: 'ignore' }).error === undefined;

const settings = (folder: string, user: string): string => `
cyrus_user: ${user}
configdirectory: ${folder}
defaultpartition: default
partition-default: ${join(folder, 'mail')}
proc_path: ${join(folder, 'proc')}
mboxname_lockpath: ${join(folder, 'lock')}
servername: localhost
admins: admin
httpmodules: carddav
allowplaintext: yes
sasl_mech_list: PLAIN
sasl_pwcheck_method: auxprop
sasl_auxprop_plugin: sasldb
sasl_sasldb_path: ${join(folder, 'passwords')}
autocreate_users: anyone
autocreate_quota: 0
skiplist_unsafe: yes
`;

const services = (configuration: string, imapPort: number, httpPort: number): string => `
START {
  recover cmd="${PROGRAMS}/ctl_cyrusdb -C ${configuration} -r"
}
SERVICES {
  imap cmd="imapd -C ${configuration}" listen="127.0.0.1:${imapPort}" prefork=0
  http cmd="httpd -C ${configuration}" listen="127.0.0.1:${httpPort}" prefork=0
}
EVENTS {
}
`;

/** Starts a server. A book that it opens has an account of its own. */
export const startCyrus = async (): Promise<CarddavServer> => {
  const folder = mkdtempSync(join(tmpdir(), 'cyrus-'));
  const imapPort = await freePort();
  const httpPort = await freePort();
  const configuration = join(folder, 'imapd.conf');
  const user = serverUser('cyrus');
  if (user !== null) chownSync(folder, user.uid, user.gid);
  writeFileSync(configuration, settings(folder, user === null ? userInfo().username : 'cyrus'));
  writeFileSync(join(folder, 'cyrus.conf'), services(configuration, imapPort, httpPort));
  const words = ['-C', configuration, '-M', join(folder, 'cyrus.conf'), '-p', join(folder, 'pid')];
  // On SIGTERM it kills its process group, so it gets one of its own.
  const server = spawn(join(PROGRAMS, 'master'), words, { ...user, stdio: 'ignore', detached: true });
  const isGone = new Promise((resolve) => server.once('exit', resolve));
  const origin = `http://127.0.0.1:${httpPort}/`;
  await awaitAnswer(origin);
  const setPassword = (username: string, password: string): void => {
    const where = ['-f', join(folder, 'passwords'), '-u', 'localhost'];
    const { status, stderr } = spawnSync('saslpasswd2', ['-p', '-c', ...where, username], {
      ...user,
      input: password,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`saslpasswd2: ${stderr}`);
  };
  let books = 0;
  return {
    openBook: () => {
      books += 1;
      const username = `user${books}`;
      const password = `pass word ${books}`;
      const owner = { username, password };
      setPassword(username, password);
      // The first session of IMAP makes the mailbox, which the HTTP server requires.
      curl(owner, ['--request', 'NOOP', `imap://127.0.0.1:${imapPort}/`]);
      return {
        url: origin,
        username,
        password,
        ...davFolder(owner, `${origin}dav/addressbooks/user/${username}/Default/`),
        revoke: () => {
          owner.password = `new ${password}`;
          setPassword(username, owner.password);
        },
      };
    },
    [Symbol.asyncDispose]: async () => {
      server.kill();
      await isGone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
