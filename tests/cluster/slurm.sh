#!/usr/bin/env bash
# A real Slurm on this one machine, for tests: everything listens on loopback, everything it writes is in DIR.
#   slurm.sh install       Debian's packages, if they are missing
#   slurm.sh start DIR     start munged, slurmctld and slurmd
#   slurm.sh status DIR    sinfo and squeue
#   slurm.sh slurmd DIR    start slurmd again, after it was killed
#   slurm.sh stop DIR      cancel all jobs, end the daemons, remove the link in /etc
# Exit code 77: Slurm cannot be had here, and the last line says why.
#
# The link: the executor of Snakemake removes SLURM_* from the environment of its jobs, SLURM_CONF with them,
# so that they find their Slurm only where it is looked for by default, in /etc/slurm/slurm.conf.
set -euo pipefail
action=${1:?install, start, status, slurmd or stop}
[ "$action" = install ] || dir=$(realpath -m "${2:?a folder for the state of Slurm}")
default=/etc/slurm/slurm.conf
export SLURM_CONF=${dir:-}/slurm.conf PATH=$PATH:/usr/sbin:/sbin

cannot() { echo "no Slurm here: $1" >&2; exit 77; }

is_installed() { type -P slurmctld slurmd sbatch munged >/dev/null; }

check() {
  is_installed || cannot "it is not installed; tests/cluster/slurm.sh install does it"
  [ "$(id -u)" = 0 ] || cannot "its daemons are started by root only"
  [ ! -e "$default" ] && [ ! -L "$default" ] || [ "$(readlink "$default")" = "$SLURM_CONF" ] \
    || cannot "$default belongs to another Slurm"
}

install() {
  is_installed && return
  type -P apt-get >/dev/null || cannot "it is not installed, and there is no apt-get to install it"
  [ "$(id -u)" = 0 ] || cannot "it is not installed, and only root can install it"
  local packages=(slurmctld slurmd slurm-client munge) log
  log=$(mktemp)
  export DEBIAN_FRONTEND=noninteractive
  { apt-get update && apt-get install -y --no-install-recommends "${packages[@]}"; } >"$log" 2>&1 \
    || cannot "apt-get could not install ${packages[*]} ($(tail -n 1 "$log"))"
  rm "$log"
}

configure() {
  local node memory
  node=$(hostname -s)
  memory=$(awk '/^MemTotal/ {print int($2 / 1024 * 0.9)}' /proc/meminfo)
  [ -s "$dir/munge/key" ] || (umask 077 && head -c 1024 /dev/urandom >"$dir/munge/key")
  cat >"$SLURM_CONF" <<CONF
ClusterName=one
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=36817
SlurmdPort=36818
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/log/slurmctld
SlurmdLogFile=$dir/log/slurmd
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=sched_interval=5
MinJobAge=3600
SlurmdTimeout=10
KillWait=2
ReturnToService=2
NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=$memory State=UNKNOWN
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PartitionName=main Nodes=$node Default=YES MaxTime=INFINITE State=UP PriorityTier=1
PartitionName=first Nodes=$node MaxTime=INFINITE State=UP PriorityTier=2
CONF
  ln -sfn "$SLURM_CONF" "$default"
}

alive() { [ -s "$dir/$1.pid" ] && kill -0 "$(cat "$dir/$1.pid")" 2>/dev/null; }

begin() { # DAEMON ARGUMENTS…: it goes into the background by itself
  alive "$1" || "$@" </dev/null >>"$dir/log/begin" 2>&1
}

answer() {
  for _ in $(seq 60); do
    sinfo -h -o %t 2>/dev/null | grep -qE '^(idle|mix|alloc)' && return
    sleep 0.5
  done
  return 1
}

end() { # DAEMON
  alive "$1" || return 0
  local pid
  pid=$(cat "$dir/$1.pid")
  kill "$pid" 2>/dev/null || true
  for _ in $(seq 100); do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  kill -9 "$pid" 2>/dev/null || true
  rm -f "$dir/$1.pid"
}

start() {
  check
  mkdir -p "$dir"/{state,spool,log,munge}
  chmod 711 "$dir" && chmod 700 "$dir/munge"
  configure
  begin munged --force --key-file="$dir/munge/key" --socket="$dir/munge/socket" --pid-file="$dir/munged.pid" \
    --log-file="$dir/log/munged" --seed-file="$dir/munge/seed"
  begin slurmctld -c
  begin slurmd
  answer || { stop; cannot "it did not come up ($(tail -n 1 "$dir/log/slurmctld" "$dir/log/begin" | tail -n 1))"; }
}

stop() {
  if alive slurmctld; then
    squeue -h -o %i | xargs -r scancel || true
    for _ in $(seq 100); do
      [ -n "$(squeue -h -o %i 2>/dev/null)" ] || break
      sleep 0.1
    done
  fi
  end slurmd
  end slurmctld
  end munged
  [ "$(readlink "$default")" != "$SLURM_CONF" ] || rm -f "$default"
}

case $action in
  install) install ;;
  start) start ;;
  status) sinfo && squeue ;;
  slurmd) begin slurmd && answer ;;
  stop) stop ;;
  *) echo "slurm.sh install | start|status|slurmd|stop DIR" >&2; exit 2 ;;
esac
