import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A self-signed certificate for `localhost`: PEM texts and the paths of their files. */
export type Certificate = {
  readonly certificate: string;
  readonly key: string;
  readonly path: string;
  readonly keyPath: string;
};

/** Creates a certificate in a directory, with the installed `openssl`. */
export const makeCertificate = (directory: string): Certificate => {
  const [path, keyPath] = [join(directory, 'server.crt'), join(directory, 'server.key')];
  const made = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const named = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync('openssl', ['req', ...made, ...named, '-keyout', keyPath, '-out', path], { stdio: 'ignore' });
  return { certificate: readFileSync(path, 'utf8'), key: readFileSync(keyPath, 'utf8'), path, keyPath };
};
