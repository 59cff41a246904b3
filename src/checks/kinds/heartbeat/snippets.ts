// How jobs call a ping URL.

/** @param url the ping URL */
export function snippetsOf(url: string): readonly { readonly title: string; readonly code: string }[] {
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
