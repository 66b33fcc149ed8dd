#!/bin/sh
# Runs a command within a Slurm cluster on this machine: slurmctld and several slurmd, which are stopped afterwards.
#
#   scripts/slurm.sh NODES COMMAND…
#
# srun, sbatch and sinfo within COMMAND use this cluster. Slurm and MUNGE must be installed (scripts/install-deps.sh test).
set -eu

if [ $# -lt 2 ]; then
    sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
nodes=$1
shift
PATH=$PATH:/usr/sbin
# The paths of sockets have to be short.
folder=$(mktemp -d /tmp/slurm-XXXXXX)
host=$(hostname -s)
cores=$(nproc)
# Ports that no other cluster of this script uses.
port=$((20000 + $$ % 20000))

stop() {
    pids=$(cat "$folder"/*.pid 2>/dev/null || true)
    scontrol shutdown >"$folder/stop.log" 2>&1 || true
    sleep 1
    # They write to the folder until they have ended.
    for pid in $pids; do
        waited=0
        while kill "$pid" 2>/dev/null && [ "$waited" -lt 50 ]; do
            sleep 0.1
            waited=$((waited + 1))
        done
    done
    rm -rf "$folder"
}
trap stop EXIT
trap 'exit 130' INT TERM

mkdir "$folder/state" "$folder/spool" "$folder/munge"
chmod 700 "$folder/munge"
head -c 128 /dev/urandom >"$folder/munge/key"
chmod 400 "$folder/munge/key"
munged --force --socket="$folder/munge/socket" --key-file="$folder/munge/key" --pid-file="$folder/munged.pid" \
    --log-file="$folder/munge/log" --seed-file="$folder/munge/seed"

cat >"$folder/slurm.conf" <<CONF
ClusterName=one
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CryptoType=crypto/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd-%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
NodeName=node[1-$nodes] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + nodes))] CPUs=$cores State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:64
CONF
export SLURM_CONF="$folder/slurm.conf"

slurmctld
node=1
while [ "$node" -le "$nodes" ]; do
    mkdir "$folder/spool/node$node"
    slurmd -N "node$node"
    node=$((node + 1))
done
waited=0
until sinfo --noheader --states=idle --format=%D 2>/dev/null | grep -qx "$nodes"; do
    waited=$((waited + 1))
    if [ "$waited" -gt 60 ]; then
        cat "$folder"/*.log >&2
        echo "the nodes are not ready after a minute" >&2
        exit 1
    fi
    sleep 1
done
"$@"
