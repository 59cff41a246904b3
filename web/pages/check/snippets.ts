// How jobs call a ping URL.

/** Title and text of each snippet. @param url the ping URL */
export function snippetsOf(url: string): readonly (readonly [id: string, title: string, code: string])[] {
  return [
    ['curl', 'curl', `curl -fsS -m 10 --retry 5 ${url}`],
    [
      'cron',
      'cron',
      `# Reports the exit code of the job, 0 included.\n0 3 * * * /usr/local/bin/backup; curl -fsS -m 10 --retry 5 ${url}/$?`,
    ],
    [
      'systemd',
      'systemd',
      `# /etc/systemd/system/backup.service
[Service]
Type=oneshot
ExecStartPre=-curl -fsS -m 10 ${url}/start
ExecStart=/usr/local/bin/backup
ExecStopPost=curl -fsS -m 10 --retry 5 ${url}/\${EXIT_STATUS}`,
    ],
    [
      'actions',
      'GitHub Actions',
      `# The last steps of the job
- name: Report success
  if: success()
  run: curl -fsS -m 10 --retry 5 ${url}
- name: Report failure
  if: failure()
  run: curl -fsS -m 10 --retry 5 ${url}/fail`,
    ],
    [
      'kubernetes',
      'Kubernetes CronJob',
      `apiVersion: batch/v1
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
              args: ["/usr/local/bin/backup; curl -fsS -m 10 --retry 5 ${url}/$?"]`,
    ],
  ];
}
