// The manifests of deploy/kubernetes/ are what Kubernetes takes: judged by its types, and joined by kubectl where it is.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, test } from 'node:test';
import { type Fields, root, succeeds, textAt } from './support/service/deploy-files.ts';
import { deployments, manifests, nameOf } from './support/service/manifests.ts';
import { plainEnvironment } from './support/service/plain-environment.ts';

/** Which type of kubernetes-types an object has. */
const typesOf: Readonly<Record<string, string>> = {
  'v1 Namespace': 'core/v1',
  'v1 ConfigMap': 'core/v1',
  'v1 Secret': 'core/v1',
  'v1 Service': 'core/v1',
  'apps/v1 Deployment': 'apps/v1',
  'policy/v1 PodDisruptionBudget': 'policy/v1',
  'networking.k8s.io/v1 NetworkPolicy': 'networking/v1',
  'networking.k8s.io/v1 Ingress': 'networking/v1',
  'autoscaling/v2 HorizontalPodAutoscaler': 'autoscaling/v2',
};

/** What the types of Kubernetes have against objects: unknown fields, missing ones, values of the wrong sort. */
function typeFaults(objects: readonly Fields[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-manifests-'));
  try {
    const lines = objects.map((object, index) => {
      const type = typesOf[`${textAt(object, 'apiVersion')} ${textAt(object, 'kind')}`];
      assert.ok(type, `${nameOf(object)} is of a kind whose type is not known here`);
      const from = JSON.stringify(`${root}node_modules/kubernetes-types/${type}.d.ts`);
      return `export const object${index}: import(${from}).${textAt(object, 'kind')} = ${JSON.stringify(object)};`;
    });
    const file = join(folder, 'manifests.ts');
    writeFileSync(file, lines.join('\n'));
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'nodenext'];
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [`${root}node_modules/typescript/bin/tsc`, ...options, '--ignoreConfig', file],
      { encoding: 'utf8', env: plainEnvironment() },
    );
    assert.ok(status !== null, stderr);
    return stdout.replaceAll(folder, '');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the types of Kubernetes', () => {
  /** PodMonitor is not Kubernetes' own. */
  const own = manifests.map(({ object }) => object).filter(({ kind }) => kind !== 'PodMonitor');

  it('have nothing against the manifests', () => assert.equal(typeFaults(own), ''));

  it('would notice a field that is misspelt, and a value of the wrong sort', () => {
    const [first] = deployments;
    const misspelt = JSON.parse(JSON.stringify(first).replace('"readinessProbe"', '"readynessProbe"')) as Fields;
    assert.match(typeFaults([misspelt]), /readynessProbe.* does not exist in type 'Container'/);
    const wrong = JSON.parse(JSON.stringify(first).replace(/"replicas":\d+/, '"replicas":"two"')) as Fields;
    assert.match(typeFaults([wrong]), /string.*number/s);
  });
});

const listed = manifests.filter(({ path }) => !path.endsWith('.example.yaml')).map(({ object }) => nameOf(object));

test('no object of deploy/kubernetes has the name of another', () => {
  assert.equal(new Set(listed).size, listed.length);
});

const noKubectl = !succeeds('kubectl', 'version', '--client') && 'there is no kubectl on this machine';

test('deploy/kubernetes joined by kubectl is all of its listed objects', { skip: noKubectl }, () => {
  const { stdout, stderr } = spawnSync('kubectl', ['kustomize', `${root}deploy/kubernetes`], { encoding: 'utf8' });
  const kinds = [...stdout.matchAll(/^kind: (\w+)$/gm)].map(([, kind = '']) => kind);
  assert.deepEqual(kinds.toSorted(), listed.map((name) => name.split('/')[0] ?? '').toSorted(), stderr);
});
