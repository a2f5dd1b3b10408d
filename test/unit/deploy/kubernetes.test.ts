import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Deployment } from 'kubernetes-models/apps/v1';
import { ConfigMap, PersistentVolumeClaim, Secret } from 'kubernetes-models/v1';
import { afterAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { loadConfig } from '../../../src/app/config/config.ts';

const FILE = join(import.meta.dirname, '../../../config/deploy/kubernetes.yaml');
const KINDS = { Deployment, Secret, ConfigMap, PersistentVolumeClaim };
const named = z.looseObject({ kind: z.enum(['Deployment', 'Secret', 'ConfigMap', 'PersistentVolumeClaim']) });

const directory = mkdtempSync(join(tmpdir(), 'contact-sync-kubernetes-'));
afterAll(() => rmSync(directory, { recursive: true }));

const manifests = parseAllDocuments(readFileSync(FILE, 'utf8')).map((document) => named.parse(document.toJS()));
const find = (kind: keyof typeof KINDS) => manifests.find((manifest) => manifest.kind === kind);
const validate = (manifest: z.infer<typeof named>): void => new KINDS[manifest.kind](manifest as never).validate();

const probe = z.object({ httpGet: z.object({ path: z.string(), port: z.string() }) });
const pod = z.object({
  spec: z.object({
    replicas: z.literal(1),
    template: z.object({
      spec: z.object({
        terminationGracePeriodSeconds: z.number().min(11),
        containers: z.tuple([
          z.object({
            ports: z.tuple([z.object({ name: z.string(), containerPort: z.number() })]),
            startupProbe: probe,
            readinessProbe: probe,
            livenessProbe: probe,
            env: z.array(z.object({ name: z.string(), value: z.string() })),
            volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
          }),
        ]),
        volumes: z.array(z.looseObject({ name: z.string() })),
      }),
    }),
  }),
});

test.each(manifests.map((manifest) => [manifest.kind, manifest] as const))('%s matches its schema', (_, manifest) => {
  expect(() => validate(manifest)).not.toThrow();
});

test('every mount has a volume, and the configuration is valid', () => {
  const { containers, volumes } = pod.parse(find('Deployment')).spec.template.spec;
  const [{ env, ports, volumeMounts, startupProbe, readinessProbe, livenessProbe }] = containers;
  expect(volumeMounts.map(({ name }) => name).toSorted()).toEqual(volumes.map(({ name }) => name).toSorted());
  const { data } = z.object({ data: z.record(z.string(), z.string()) }).parse(find('ConfigMap'));
  const { stringData } = z.object({ stringData: z.record(z.string(), z.string()) }).parse(find('Secret'));
  const files = env.filter(({ name }) => name.endsWith('_FILE'));
  const secrets = files.map(({ name, value }) => [
    name.replace('_FILE', ''),
    stringData[value.split('/').at(-1) ?? ''],
  ]);
  const plain = env
    .filter(({ name }) => name === 'DATA_DIR' || name === 'LISTEN')
    .map(({ name, value }) => [name, value]);
  const configPath = join(directory, 'contact-sync.yaml');
  writeFileSync(configPath, data['contact-sync.yaml'] ?? '');
  const config = loadConfig({ config: configPath, env: Object.fromEntries([...plain, ...secrets]) });
  const [{ name: portName, containerPort }] = ports;
  expect(config).toMatchObject({ dataDir: '/data/state', redisUrl: null, listen: { port: containerPort } });
  const asked = [startupProbe, readinessProbe, livenessProbe].map(({ httpGet }) => `${httpGet.path} ${httpGet.port}`);
  expect(asked).toEqual([`/readyz ${portName}`, `/readyz ${portName}`, `/readyz ${portName}`]);
});
