// How heartbeat checks are presented.
import type { z } from 'zod';
import type { CheckShow } from '../../show.ts';
import type { heartbeatSchema, heartbeatShown } from './schema.ts';

interface HeartbeatCheck {
  readonly heartbeat: z.output<typeof heartbeatShown>;
}

const unitMinutes = { seconds: 1 / 60, minutes: 1, hours: 60, days: 1440 } as const;

const signals = {
  ping: 'Success',
  start: 'Start',
  fail: 'Failure',
  log: 'Log entry',
  missing: 'Nothing: no ping was received',
} as const;

export const heartbeatShow: CheckShow<typeof heartbeatSchema> = {
  type: 'HEARTBEAT',
  label: 'Heartbeat',
  timeLabel: 'Duration of the job',
  called: {
    schedule: ({ heartbeat: { period, periodUnit, grace, graceUnit } }: HeartbeatCheck) => ({
      interval: period * unitMinutes[periodUnit],
      grace: grace * unitMinutes[graceUnit],
    }),
    pingUrl: ({ heartbeat }: HeartbeatCheck) => heartbeat.pingUrl,
    snippets: snippetsOf,
  },
  evidence: ({ signal, exitCode, ...part }) => {
    const report = signal === 'exit' ? `Exit code ${exitCode ?? 0}` : signals[signal];
    const ping = { ...part, report, isMissing: signal === 'missing' };
    return { ping, isFirst: true, sections: [], comparable: [['Ping', report]] };
  },
};

/** @param url the ping URL */
function snippetsOf(url: string): readonly { readonly title: string; readonly code: string }[] {
  const curl = 'curl -fsS -m 10 --retry 5';
  return [
    { title: 'curl', code: `${curl} ${url}` },
    {
      title: 'cron',
      code: `# Reports the exit code of the job, 0 included.\n0 3 * * * /usr/local/bin/backup; ${curl} ${url}/$?`,
    },
    {
      title: 'systemd',
      code: `# /etc/systemd/system/backup.service
[Service]
Type=oneshot
ExecStartPre=-curl -fsS -m 10 ${url}/start
ExecStart=/usr/local/bin/backup
ExecStopPost=${curl} ${url}/\${EXIT_STATUS}`,
    },
    {
      title: 'GitHub Actions',
      code: `# The last steps of the job
- name: Report success
  if: success()
  run: ${curl} ${url}
- name: Report failure
  if: failure()
  run: ${curl} ${url}/fail`,
    },
    {
      title: 'Kubernetes CronJob',
      code: `apiVersion: batch/v1
kind: CronJob
metadata:
  name: backup
spec:
  schedule: "0 3 * * *"
  jobTemplate:
    spec:
      backoffLimit: 0
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: backup
              image: backup:latest # must contain curl
              command: ["/bin/sh", "-c"]
              args: ["/usr/local/bin/backup; ${curl} ${url}/$?"]`,
    },
  ];
}
