#!/bin/busybox sh
# The first process of a test's virtual machine. What it is to set up stands on the kernel's command
# line: jettison.cgroup=v2, v1 or hybrid; jettison.disk=prjquota where there is such a disk;
# jettison.filesystem=xfs where that is no ext4; jettison.init=systemd where that is to take over. Then
# /command is run, and how it ended is said; whoever started the machine reads the last line and ends
# it.

# Containers are entered by pivot_root, which the root that the kernel begins with refuses. The same
# folders mounted once more and moved onto it are a root like any other.
if [ "$1" != entered ]; then
  /bin/busybox mount --bind / /top
  cd /top || exit
  /bin/busybox mount --move . /
  exec /bin/busybox chroot . /init entered
fi

/bin/busybox --install -s /bin
export PATH=/bin:/sbin:/test HOME=/tmp TMPDIR=/tmp LC_ALL=C.UTF-8
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
mount -t tmpfs run /run
mkdir -p /dev/shm /dev/pts
mount -t tmpfs shm /dev/shm
mount -t devpts pts /dev/pts
for module in /lib/modules/*.ko; do [ -e "$module" ] && insmod "$module"; done

asked() { # asked NAME=VALUE: whether the kernel's command line says so
  case " $(cat /proc/cmdline) " in *" jettison.$1 "*) ;; *) return 1 ;; esac
}

if [ -b /dev/vda ]; then
  mkdir /disk
  options=defaults
  asked disk=prjquota && options=prjquota
  filesystem=ext4
  asked filesystem=xfs && filesystem=xfs
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
if asked cgroup=v1; then
  v1 memory cpu cpuacct pids freezer cpuset
elif asked cgroup=hybrid; then
  v1 memory cpu cpuacct pids freezer cpuset
  mkdir /sys/fs/cgroup/unified
  mount -t cgroup2 cgroup2 /sys/fs/cgroup/unified
else
  mount -t cgroup2 cgroup2 /sys/fs/cgroup
  # As a service manager does: nobody lives in the root.
  if ! asked init=systemd; then
    mkdir /sys/fs/cgroup/init
    echo 1 >/sys/fs/cgroup/init/cgroup.procs
  fi
fi

echo "vm: Linux $(uname -r), up in $(cut -d' ' -f1 /proc/uptime) s"
cat >/run/run-command <<END
#!/bin/sh
export PATH=$PATH HOME=$HOME TMPDIR=$TMPDIR LC_ALL=$LC_ALL
# After every mount: what was put somewhere below /tmp before would lie under one.
[ ! -d /installed ] || (cd /installed && find . -type f) | while IFS= read -r file; do
  place=/\${file#./}
  mkdir -p "\${place%/*}"
  : >"\$place"
  mount --bind "/installed\$place" "\$place"
done
/command </dev/null >/dev/console 2>&1
# On a line of its own, whatever was said last.
printf '\nvm: exit status %s\n' "\$?" >/dev/console
# Until the machine is ended from outside.
while :; do sleep 60; done
END
if asked init=systemd; then
  mkdir -p /run/systemd/system
  cat >/run/systemd/system/command.service <<END
[Unit]
DefaultDependencies=no
[Service]
ExecStart=/bin/sh /run/run-command
StandardOutput=null
StandardError=null
TasksMax=infinity
END
  exec /lib/systemd/systemd --unit=command.service --show-status=no --log-level=warning \
    --log-target=console
fi
exec sh /run/run-command
