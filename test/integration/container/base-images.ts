import { cp, mkdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { readDockerfile, readRedisCompose, withoutDigests } from './dockerfile.ts';
import { succeed, type Engine } from './engine.ts';

/**
 * A base image like Docker Hub's, of Debian's packages and the Node that package.json pins, for machines that reach no
 * registry of images: the same Debian, the same user `node` of id 1000, the same paths.
 */
const makeNodeImage = async (engine: Engine, scratch: string, image: string): Promise<void> => {
  const [, suite = ''] = /-([a-z]+)-slim$/u.exec(image) ?? [];
  const root = join(scratch, 'rootfs');
  await succeed('mmdebstrap', ['--quiet', '--variant=minbase', suite, root]);
  await cp(
    join(dirname(createRequire(import.meta.url).resolve('node/package.json')), 'bin/node'),
    `${root}/usr/local/bin/node`,
  );
  // `npm` is a link to its bin/npm-cli.js.
  const npm = dirname(dirname(await realpath(await succeed('/bin/sh', ['-c', 'command -v npm']))));
  await mkdir(`${root}/usr/local/lib/node_modules`, { recursive: true });
  await cp(npm, `${root}/usr/local/lib/node_modules/npm`, { recursive: true, dereference: true });
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', `${root}/usr/local/bin/npm`);
  await succeed('chroot', [root, 'useradd', '--uid', '1000', '--user-group', '--create-home', 'node']);
  const archive = join(scratch, 'rootfs.tar');
  await succeed('tar', ['-C', root, '--numeric-owner', '-cf', archive, '.']);
  await engine.succeed('import', '--quiet', '--change', 'CMD ["node"]', archive, `docker.io/library/${image}`);
};

/** Debian's Redis behind an entry point that does what that of Docker Hub's image does. */
const makeRedisImage = async (engine: Engine, scratch: string, image: string, nodeImage: string): Promise<void> => {
  const directory = join(scratch, 'redis');
  await mkdir(directory);
  const entryPoint = [
    '#!/bin/sh',
    'set -e',
    'if [ "$1" = redis-server ] && [ "$(id -u)" = 0 ]; then',
    '  find . ! -user redis -exec chown redis {} +',
    '  exec setpriv --reuid redis --regid redis --clear-groups "$0" "$@"',
    'fi',
    'umask 0077',
    'exec "$@"',
  ];
  await writeFile(join(directory, 'docker-entrypoint.sh'), `${entryPoint.join('\n')}\n`, { mode: 0o755 });
  const dockerfile = [
    `FROM ${nodeImage}`,
    'RUN groupadd --system --gid 999 redis && useradd --system --uid 999 --gid 999 redis',
    'RUN apt-get update -qq && apt-get install -qq --yes --no-install-recommends redis-server',
    'RUN mkdir /data && chown redis:redis /data',
    'COPY docker-entrypoint.sh /usr/local/bin/',
    'VOLUME /data',
    'WORKDIR /data',
    'ENTRYPOINT ["docker-entrypoint.sh"]',
    'CMD ["redis-server"]',
  ];
  await writeFile(join(directory, 'Dockerfile'), `${dockerfile.join('\n')}\n`);
  const name = `docker.io/library/${image}`;
  await engine.succeed('build', '--quiet', '--pull=never', '--network', 'host', '--tag', name, directory);
};

/** The images that the Dockerfile and compose.redis.yaml name. Those made here have a name, but no digest of Docker Hub. */
export const baseImages = ({ name }: Engine): { readonly node: string; readonly redis: string } => {
  const node = readDockerfile()[0]?.base ?? '';
  const { image } = readRedisCompose().services.redis;
  return name === 'podman' ? { node: withoutDigests(node), redis: withoutDigests(image) } : { node, redis: image };
};

/** Docker pulls them; for Podman they are made. */
export const provideBaseImages = async (engine: Engine, scratch: string): Promise<void> => {
  const { node, redis } = baseImages(engine);
  if (engine.name === 'docker') {
    for (const image of [node, redis]) await engine.succeed('pull', '--quiet', image);
    return;
  }
  await makeNodeImage(engine, scratch, node);
  await makeRedisImage(engine, scratch, redis, `docker.io/library/${node}`);
};

/** The certificates that Node trusts on this machine, for access to the package registry during a build. */
export const certificatesFor = async (engine: Engine, scratch: string): Promise<readonly string[]> => {
  const { NODE_EXTRA_CA_CERTS: path } = process.env;
  if (path === undefined || engine.name === 'docker') return [];
  const trusted = join(scratch, 'certificates.pem');
  await writeFile(trusted, await readFile(path));
  const npmrc = join(scratch, 'npmrc');
  await writeFile(npmrc, 'cafile=/run/certificates.pem\n');
  return ['--volume', `${npmrc}:/usr/local/etc/npmrc:ro`, '--volume', `${trusted}:/run/certificates.pem:ro`];
};
