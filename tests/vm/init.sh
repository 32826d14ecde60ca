#!/bin/busybox sh
# The first process of a test's virtual machine. What it is to set up stands on the kernel's command
# line: jettison.cgroup=v2, v1 or hybrid; jettison.disk=prjquota where there is such a disk;
# jettison.filesystem=xfs where that is no ext4. Then it runs /command and says how that ended; whoever
# started the machine reads the last line and ends it.
/bin/busybox --install -s /bin
export PATH=/bin:/test HOME=/tmp TMPDIR=/tmp LC_ALL=C.UTF-8
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
mount -t tmpfs run /run
mkdir -p /dev/shm /dev/pts
mount -t tmpfs shm /dev/shm
mount -t devpts pts /dev/pts
for module in /lib/modules/*.ko; do [ -e "$module" ] && insmod "$module"; done
if [ -b /dev/vda ]; then
  mkdir /disk
  case " $(cat /proc/cmdline) " in
    *" jettison.disk=prjquota "*) options=prjquota ;;
    *) options=defaults ;;
  esac
  case " $(cat /proc/cmdline) " in
    *" jettison.filesystem=xfs "*) filesystem=xfs ;;
    *) filesystem=ext4 ;;
  esac
  mount -t "$filesystem" -o "$options" /dev/vda /disk && export TMPDIR=/disk
fi
ip link set lo up
hostname vm

v1() { # v1 CONTROLLER...: each a hierarchy of its own
  mount -t tmpfs cgroup /sys/fs/cgroup
  for controller; do
    mkdir "/sys/fs/cgroup/$controller"
    mount -t cgroup -o "$controller" cgroup "/sys/fs/cgroup/$controller"
  done
}
case " $(cat /proc/cmdline) " in
  *" jettison.cgroup=v1 "*) v1 memory cpu cpuacct pids freezer cpuset ;;
  *" jettison.cgroup=hybrid "*)
    v1 memory cpu cpuacct pids freezer cpuset
    mkdir /sys/fs/cgroup/unified
    mount -t cgroup2 cgroup2 /sys/fs/cgroup/unified
    ;;
  *)
    mount -t cgroup2 cgroup2 /sys/fs/cgroup
    # As a service manager does: nobody lives in the root.
    mkdir /sys/fs/cgroup/init
    echo 1 >/sys/fs/cgroup/init/cgroup.procs
    ;;
esac

echo "vm: Linux $(uname -r), up in $(cut -d' ' -f1 /proc/uptime) s"
/command </dev/null
# On a line of its own, whatever was said last.
printf '\nvm: exit status %s\n' "$?"
# Until the machine is ended from outside.
while :; do sleep 60; done
