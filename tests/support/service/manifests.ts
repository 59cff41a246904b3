// The manifests of deploy/kubernetes/, and what is asked of them: by kind, by role, by selector.
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { at, type Fields, fieldsAt, listOf, readYaml, root, textAt, textsOf } from './deploy-files.ts';

/** A Kubernetes object and the file it is in. */
export interface Manifest {
  readonly path: string;
  readonly object: Fields;
}

/** Everything in deploy/kubernetes/ but the list of what is there. */
export const manifests: readonly Manifest[] = globSync('deploy/kubernetes/*.yaml', { cwd: root })
  .filter((path) => !path.endsWith('/kustomization.yaml'))
  .sort()
  .flatMap((path) => readYaml(path).map((object) => ({ path, object })));

/** The objects of a kind. */
export function ofKind(kind: string): readonly Fields[] {
  return manifests.flatMap(({ object }) => (object['kind'] === kind ? [object] : []));
}

/** Kind and name. */
export function nameOf(object: Fields): string {
  return `${textAt(object, 'kind')}/${textAt(object, 'metadata', 'name')}`;
}

export const deployments = ofKind('Deployment');

export function podOf(deployment: Fields): Fields {
  return fieldsAt(deployment, 'spec', 'template', 'spec');
}

export function containerOf(deployment: Fields): Fields {
  const [container, ...others] = listOf(podOf(deployment)['containers']);
  assert.ok(container && others.length === 0, 'a pod has one container');
  return container;
}

export function roleOf(deployment: Fields): string {
  return textAt(deployment, 'metadata', 'labels', 'app.kubernetes.io/component');
}

/** The roles of the deployments whose pods a selector selects. */
export function rolesSelectedBy(selector: Fields): readonly string[] {
  return deployments
    .filter((one) => selects(selector, fieldsAt(one, 'spec', 'template', 'metadata', 'labels')))
    .map((one) => roleOf(one));
}

function selects(selector: Fields, labels: Fields): boolean {
  const wanted = Object.entries(selector['matchLabels'] === undefined ? {} : fieldsAt(selector, 'matchLabels'));
  return (
    wanted.every(([name, value]) => labels[name] === value) &&
    listOf(selector['matchExpressions']).every((expression) => {
      assert.equal(at(expression, 'operator'), 'In');
      return textsOf(expression['values']).includes(textAt(labels, textAt(expression, 'key')));
    })
  );
}
