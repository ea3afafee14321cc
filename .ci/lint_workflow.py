"""`snakemake --lint`, whose words on conda environments and containers do not concern this project."""

import re
import subprocess
import sys

NOT_OURS = "conda environment or container"


def main() -> int:
    command = [sys.executable, "-m", "snakemake", "--lint"]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    text = said.stdout + said.stderr
    findings = re.findall(r"^    \* (.+?):?$", text, flags=re.MULTILINE)
    ours = [finding for finding in findings if NOT_OURS not in finding.lower()]
    unread = said.returncode not in (0, 1) or (said.returncode and not findings)
    if ours or unread:
        print(text)
    return int(bool(ours or unread))


if __name__ == "__main__":
    sys.exit(main())
