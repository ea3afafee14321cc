"""The Slurm that slurm.sh starts, with its commands as methods."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

SCRIPT = Path(__file__).with_name("slurm.sh")
CANNOT = 77  # the script's exit code where Slurm cannot be had


@dataclass(frozen=True)
class Slurm:
    """The commands that tests give to it."""

    folder: Path

    def jobs(self, *states):
        """Numbers of its jobs in these states."""
        output = self.ask("squeue", "--noheader", "--format=%i", f"--states={','.join(states)}")
        return output.split()

    def cancel(self, *jobs):
        self.ask("scancel", *jobs)

    def submit(self, *options):
        self.ask("sbatch", "--output=/dev/null", *options)

    def was_requeued(self):
        """Whether it has started a job again by itself."""
        jobs = self.ask("scontrol", "show", "jobs")
        return any(f"Restarts={count}" in jobs for count in range(1, 10))

    def pid(self, daemon):
        return int((self.folder / f"{daemon}.pid").read_text())

    def script(self, action):
        # a file: a pipe would be open until the daemons end
        output = self.folder.with_name("output")
        with output.open("w") as log:
            command = [str(SCRIPT), action, str(self.folder)]
            done = subprocess.run(command, stdout=log, stderr=log, timeout=300, check=False)
        return subprocess.CompletedProcess(command, done.returncode, output.read_text())

    @staticmethod
    def ask(*command):
        return subprocess.run(
            command, capture_output=True, text=True, timeout=60, check=True
        ).stdout
