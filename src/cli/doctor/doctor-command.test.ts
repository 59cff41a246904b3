// What the doctor says of scripts differs by how far they are kept apart, and names what is not contained.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scriptFinding } from './doctor.ts';
import type { Finding } from './finding.ts';
import type { Containment } from '#sandbox/containment/containment.ts';
import { doctorContainmentOf } from './doctor-command.ts';

/** Of a level, where the stronger ones were refused. */
function foundAt(containment: Containment, hasGroups = true): Finding {
  return scriptFinding(doctorContainmentOf({ containment, refused: ['bubblewrap: there is none'] }, hasGroups));
}

test('of a machine on which it could not be tried how far scripts are kept apart the doctor says that, and nothing else', () => {
  const why = 'how far scripts are kept apart cannot be tried: bubblewrap: timeout';
  assert.deepEqual(scriptFinding(doctorContainmentOf(why)), {
    what: 'scripts',
    grade: 'warning',
    message: `${why}; scripts do not run until it can: see whether the disk of this machine is full or it is busy, and try again`,
  });
});

test('of scripts that are kept in the doctor names what their limits do not count', () => {
  const shm = { bubblewrap: '', namespaces: ' files in `/dev/shm`,' };
  for (const level of ['bubblewrap', 'namespaces'] as const) {
    assert.deepEqual(foundAt(level), {
      what: 'scripts',
      grade: 'ok',
      message: `contained by ${level}; the egress policy holds for them, over TCP only; their limits do not count memory of \`memfd\`,${shm[level]} files that are deleted while they are open (docs/security.md, "Scripts")`,
    });
  }
});

test('of scripts that run as another user the doctor warns, names what they reach, and not what they do not', () => {
  const { grade, message } = foundAt('user');
  assert.equal(grade, 'warning');
  assert.match(message, /run as another user, and no further apart \(user\): the egress policy does not hold for them/);
  assert.match(message, /they reach loopback, private networks, cloud metadata and the port of Tocsin’s database/);
  assert.match(message, /read what they were given: sees them, no more; /);
  assert.match(
    message,
    /cannot see, signal or end other runs, or read what they were given: no: all runs are one user; /,
  );
  assert.match(message, /cannot read Tocsin’s data, keys and database: as far as files are closed to others; /);
  assert.match(message, /limits do not count memory of `memfd`, files in `\/dev\/shm`, files that are deleted/);
  assert.match(message, /Install bubblewrap or allow user namespaces: bubblewrap: there is none$/);
  assert.doesNotMatch(message, /limits of memory and processes|what it leaves running|rights of root/);
});

test('where a run can have no group of its own the doctor says that processes get away from it', () => {
  const { message } = foundAt('user', false);
  assert.match(message, /limits of memory and processes: not for what leaves parent, session and folder/);
  assert.match(message, /what it leaves running ends with it: not for what leaves parent, session and folder/);
});

test('of scripts that are apart from nothing the doctor warns, and names what they reach and what gets away from it', () => {
  const { grade, message } = foundAt('process');
  assert.equal(grade, 'warning');
  assert.match(message, /run as Tocsin itself does, apart from nothing \(process\)/);
  assert.match(message, /limits of memory and processes: not for what leaves parent, session and folder/);
  assert.match(message, /what it leaves running ends with it: not for what leaves parent, session and folder/);
  assert.match(message, /cannot read Tocsin’s data, keys and database: no; /);
  assert.match(message, /no rights of root, and none to be had: unless Tocsin is root; /);
  assert.match(message, /limits do not count memory of `memfd`, files in `\/dev\/shm`, files that are deleted/);
});
