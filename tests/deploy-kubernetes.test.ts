// deploy/kubernetes/ says what the code does: roles, variables, paths and ports exist, and what refers to each other fits.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { configVariables, type Role, roles } from '#config/variables.ts';
import { readConfig } from '#config/config.ts';
import { everyOperation } from '#contract/operations.ts';
import {
  at,
  type Fields,
  fieldsAt,
  fieldsBelow,
  listOf,
  readImage,
  readYaml,
  root,
  textAt,
  textsOf,
} from './support/service/deploy-files.ts';
import {
  containerOf,
  deployments,
  manifests,
  nameOf,
  ofKind,
  podOf,
  roleOf,
  rolesSelectedBy,
} from './support/service/manifests.ts';

const image = readImage();
const paths: readonly string[] = everyOperation().map(({ path }) => path);
const [configMap] = ofKind('ConfigMap');
const [secret] = ofKind('Secret');

/** What the container of a deployment finds in its environment. */
function environmentOf(deployment: Fields): Record<string, string> {
  const { envFrom, env } = containerOf(deployment);
  const found: Record<string, string> = { ...image.environment };
  for (const source of listOf(envFrom)) {
    assert.equal(at(source, 'configMapRef', 'name'), at(configMap, 'metadata', 'name'));
    for (const name of Object.keys(fieldsAt(configMap, 'data'))) found[name] = textAt(configMap, 'data', name);
  }
  for (const variable of listOf(env)) {
    const reference = variable['valueFrom'];
    found[textAt(variable, 'name')] =
      reference === undefined
        ? textAt(variable, 'value')
        : secretValue(textAt(reference, 'secretKeyRef', 'name'), textAt(reference, 'secretKeyRef', 'key'));
  }
  return found;
}

function secretValue(name: string, key: string): string {
  assert.equal(name, at(secret, 'metadata', 'name'));
  return textAt(secret, 'stringData', key);
}

/** The file of a mounted secret → its text. */
function secretFilesOf(deployment: Fields): ReadonlyMap<string, string> {
  const mounts = listOf(containerOf(deployment)['volumeMounts']);
  const volumes = listOf(podOf(deployment)['volumes']);
  return new Map(
    volumes.flatMap(({ name, secret: source }) => {
      if (source === undefined) return [];
      const folder = textAt(mounts.find((mount) => mount['name'] === name) ?? {}, 'mountPath');
      return listOf(at(source, 'items')).map((item): [string, string] => [
        `${folder}/${textAt(item, 'path')}`,
        secretValue(textAt(source, 'secretName'), textAt(item, 'key')),
      ]);
    }),
  );
}

describe('deploy/kubernetes', () => {
  it('lists each file, but for those to be filled in', () => {
    const [list] = readYaml('deploy/kubernetes/kustomization.yaml');
    const listed = textsOf(at(list, 'resources')).map((name) => `deploy/kubernetes/${name}`);
    const files = [...new Set(manifests.map(({ path }) => path))];
    assert.deepEqual(
      listed.toSorted(),
      files.filter((path) => !path.endsWith('.example.yaml')),
    );
  });

  it('puts everything into its namespace', () => {
    const name = at(ofKind('Namespace')[0], 'metadata', 'name');
    const elsewhere = manifests.filter(
      ({ object }) => object['kind'] !== 'Namespace' && at(object, 'metadata', 'namespace') !== name,
    );
    assert.deepEqual(elsewhere, []);
  });

  it('has one deployment for each role', () => {
    assert.deepEqual(deployments.map(roleOf).toSorted(), [...roles].toSorted());
    for (const one of deployments) assert.equal(environmentOf(one)['TOCSIN_ROLES'], roleOf(one));
  });

  for (const deployment of deployments) describe(nameOf(deployment), () => checkDeployment(deployment));

  it('has budgets, services and autoscalers for deployments that are there', () => {
    for (const budget of ofKind('PodDisruptionBudget')) {
      assert.deepEqual(rolesSelectedBy(fieldsAt(budget, 'spec', 'selector')), [
        at(budget, 'metadata', 'labels', 'app.kubernetes.io/component'),
      ]);
      assert.equal(at(budget, 'spec', 'maxUnavailable'), 1, 'a single one can still be drained');
    }
    const guarded = ofKind('PodDisruptionBudget').map(roleOf);
    assert.deepEqual(
      guarded.toSorted(),
      deployments.flatMap((one) => (Number(at(one, 'spec', 'replicas')) > 1 ? roleOf(one) : [])).toSorted(),
    );
    for (const { path, object } of manifests) {
      if (object['kind'] !== 'Deployment' || guarded.includes(roleOf(object))) continue;
      assert.match(readFileSync(root + path, 'utf8'), /^#.* It has no disruption budget: /m, 'says why it has none');
    }
    for (const service of ofKind('Service')) {
      assert.deepEqual(rolesSelectedBy({ matchLabels: at(service, 'spec', 'selector') }), ['api']);
      assert.deepEqual(
        listOf(at(service, 'spec', 'ports')).map(({ targetPort }) => targetPort),
        ['http'],
      );
    }
    const names = deployments.map(nameOf);
    for (const scaler of ofKind('HorizontalPodAutoscaler')) {
      const target = fieldsAt(scaler, 'spec', 'scaleTargetRef');
      assert.ok(names.includes(`${textAt(target, 'kind')}/${textAt(target, 'name')}`), JSON.stringify(target));
      assert.ok(Number(at(scaler, 'spec', 'minReplicas')) >= 2);
    }
    assert.ok(ofKind('HorizontalPodAutoscaler').length >= 2);
  });
});

function checkDeployment(deployment: Fields): void {
  const container = containerOf(deployment);
  const pod = podOf(deployment);

  it('selects its own pods', () =>
    assert.deepEqual(rolesSelectedBy(fieldsAt(deployment, 'spec', 'selector')), [roleOf(deployment)]));

  it('gives only variables that there are, with values that the configuration takes', () => {
    const environment = environmentOf(deployment);
    const known = new Set([...Object.keys(configVariables), ...Object.keys(image.environment)]);
    assert.deepEqual(
      Object.keys(environment).filter((name) => !known.has(name)),
      [],
    );
    const files = secretFilesOf(deployment);
    const key = files.get(environment['TOCSIN_SECRET_KEY_FILE'] ?? '');
    assert.ok(key, 'the secret key is in a file that is mounted');
    const { TOCSIN_SECRET_KEY_FILE: _, ...rest } = environment;
    const config = readConfig({ ...rest, TOCSIN_SECRET_KEY: key });
    assert.deepEqual(config.unknownVariables, []);
    assert.deepEqual(config.roles, [roleOf(deployment) as Role]);
    assert.equal(config.database.kind, 'postgres');
    assert.ok(config.database.kind === 'postgres' && config.database.address.sslMode === 'verify-full');
    assert.ok(files.has(config.database.address.sslRootCert ?? ''), 'who signed the certificate is in a mounted file');
  });

  it('is asked for its health at paths and a port that there are, and may wait long for the database', () => {
    const probes = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((name) => fieldsAt(container, name));
    for (const probe of probes) {
      assert.ok(paths.includes(textAt(probe, 'httpGet', 'path')));
      const port = listOf(at(container, 'ports')).find(({ name }) => name === at(probe, 'httpGet', 'port'));
      assert.equal(textAt(port, 'containerPort'), environmentOf(deployment)['PORT']);
    }
    assert.deepEqual(
      probes.map((probe) => at(probe, 'httpGet', 'path')),
      ['/health/live', '/health/live', '/health/ready'],
    );
    const [start] = probes;
    assert.ok(Number(at(start, 'periodSeconds')) * Number(at(start, 'failureThreshold')) >= 300);
  });

  it('is scraped at the port and path of its metrics', () => {
    const annotations = fieldsAt(deployment, 'spec', 'template', 'metadata', 'annotations');
    assert.equal(annotations['prometheus.io/port'], environmentOf(deployment)['TOCSIN_METRICS_PORT']);
    assert.ok(paths.includes(textAt(annotations, 'prometheus.io/path')));
  });

  it('has the port of its metrics', () => {
    const port = listOf(at(container, 'ports')).find(({ name }) => name === 'metrics');
    assert.equal(textAt(port, 'containerPort'), environmentOf(deployment)['TOCSIN_METRICS_PORT']);
  });

  it('lets scripts make namespaces where checks run, and nowhere else', () => {
    const { procMount, seccompProfile } = fieldsAt(container, 'securityContext');
    const needed = [pod['hostUsers'], procMount, seccompProfile];
    const isRunner = roleOf(deployment) === 'runner';
    const right = isRunner ? [false, 'Unmasked', { type: 'Unconfined' }] : [undefined, undefined, undefined];
    assert.deepEqual(needed, right);
  });

  it('has the time that a stop takes', () => {
    const { lifecycle } = container;
    const wait = lifecycle === undefined ? 0 : Number(textsOf(at(lifecycle, 'preStop', 'exec', 'command'))[1]);
    assert.ok(Number(at(pod, 'terminationGracePeriodSeconds')) >= wait + 15);
  });

  it('runs without rights, and writes only where something is mounted', () => {
    const { runAsNonRoot, runAsUser, fsGroup, runAsGroup, sysctls } = fieldsAt(pod, 'securityContext');
    assert.deepEqual([runAsNonRoot, runAsUser, fsGroup], [true, image.uid, image.uid]);
    // Pings are all that the system lets a runner do beyond that.
    const pings = { name: 'net.ipv4.ping_group_range', value: `${textAt(runAsGroup)} ${textAt(runAsGroup)}` };
    assert.deepEqual(listOf(sysctls), roleOf(deployment) === 'runner' ? [pings] : []);
    const { allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities } = fieldsAt(container, 'securityContext');
    assert.deepEqual(
      [allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities],
      [false, true, { drop: ['ALL'] }],
    );
    assert.equal(pod['automountServiceAccountToken'], false);
    const mounts = listOf(container['volumeMounts']);
    const writable = mounts.filter(({ readOnly }) => readOnly !== true).map((mount) => textAt(mount, 'mountPath'));
    const { TOCSIN_DATA_DIR = '' } = environmentOf(deployment);
    assert.deepEqual(writable.toSorted(), [TOCSIN_DATA_DIR, '/tmp'].toSorted());
    assert.deepEqual(
      mounts.map(({ name }) => name),
      listOf(pod['volumes']).map(({ name }) => name),
    );
  });

  it('is of this version, spread over nodes, and says what it needs', () => {
    assert.equal(container['image'], image.tag);
    const { requests, limits } = fieldsAt(container, 'resources');
    // Scripts fill a folder of gigabytes: the node must have it.
    const disk = roleOf(deployment) === 'runner' ? ['ephemeral-storage'] : [];
    assert.deepEqual(Object.keys(fieldsAt(requests)).toSorted(), ['cpu', ...disk, 'memory']);
    assert.deepEqual(Object.keys(fieldsAt(limits)).toSorted(), ['cpu', 'memory']);
    const spread = listOf(pod['topologySpreadConstraints']);
    assert.equal(spread.length, 2);
    for (const one of spread) {
      assert.deepEqual(rolesSelectedBy(fieldsAt(one, 'labelSelector')), [roleOf(deployment)]);
    }
  });
}

describe('the network policy of deploy/kubernetes', () => {
  const policies = ofKind('NetworkPolicy');
  /** Roles to which a rule of a direction applies. */
  const rolesWith = (direction: string, isIt: (rule: Fields) => boolean): readonly string[] =>
    policies
      .filter((one) => listOf(fieldsAt(one, 'spec')[direction]).some(isIt))
      .flatMap((one) => rolesSelectedBy(fieldsAt(one, 'spec', 'podSelector')));
  const hasCidr = (rule: Fields, wanted: string): boolean => fieldsBelow(rule).some(({ cidr }) => cidr === wanted);
  const hasPort = (rule: Fields, wanted: number): boolean => listOf(rule['ports']).some(({ port }) => port === wanted);
  const isFrom = (rule: Fields, namespace: string): boolean =>
    JSON.stringify(rule['from'] ?? []).includes(`"kubernetes.io/metadata.name":"${namespace}"`);

  it('closes what it does not open, for every role and both ways', () => {
    const closed = policies.find((one) => textsOf(at(one, 'spec', 'policyTypes')).join() === 'Ingress,Egress');
    assert.deepEqual(rolesSelectedBy(fieldsAt(closed, 'spec', 'podSelector')).toSorted(), [...roles].toSorted());
  });

  it('lets everybody ask for names and the database, and monitoring ask everybody', () => {
    for (const found of [
      rolesWith('egress', (rule) => hasPort(rule, 53)),
      rolesWith('egress', (rule) => hasPort(rule, 5432)),
      rolesWith(
        'ingress',
        (rule) => isFrom(rule, 'monitoring') && listOf(rule['ports']).every(({ port }) => port === 'metrics'),
      ),
    ]) {
      assert.deepEqual(found.toSorted(), [...roles].toSorted());
    }
  });

  it('lets only runners and deliverers out, to public addresses', () => {
    const outside = (rule: Fields): boolean => hasCidr(rule, '0.0.0.0/0') || hasCidr(rule, '::/0');
    assert.deepEqual(rolesWith('egress', outside).toSorted(), ['deliverer', 'runner']);
    const excepted = fieldsBelow(policies).flatMap((one) => textsOf(one['except']));
    for (const network of ['10.0.0.0/8', '169.254.0.0/16', '127.0.0.0/8', 'fc00::/7']) {
      assert.ok(excepted.includes(network), network);
    }
  });

  it('lets the ingress controller to the API only', () => {
    assert.deepEqual(
      rolesWith('ingress', (rule) => isFrom(rule, 'ingress-nginx')),
      ['api'],
    );
  });

  it('goes with an ingress that lets in every path of the API, and neither health nor metrics', () => {
    const rules = fieldsBelow(ofKind('Ingress')).filter(({ pathType }) => pathType !== undefined);
    const isLetIn = (path: string): boolean => rules.some((rule) => `${path}/`.startsWith(`${textAt(rule, 'path')}/`));
    const inside = ['/health/live', '/health/ready', '/metrics'];
    assert.deepEqual(paths.filter((path) => !isLetIn(path)).toSorted(), inside);
    const [service] = ofKind('Service');
    for (const rule of rules) assert.equal(at(rule, 'backend', 'service', 'name'), at(service, 'metadata', 'name'));
  });
});
