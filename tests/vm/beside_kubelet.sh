#!/bin/sh
# In the machine: tests that start the test bed for Kubernetes, whose kubelet and containerd have this cgroup driver.
# A test that is skipped, because the bed did not start, has failed in here; and so has a filter that names none.
# usage: beside_kubelet.sh cgroupfs|systemd TESTS FILTER, beside bed.tar, kube and openssl.cnf
set -u
set -o pipefail
driver=$1
tests=$2
bed=/tmp/bed
out=/tmp/out
mkdir -p "$bed" /var/tmp /var/lib
tar -C "$bed" -xf /test/bed.tar
mount --bind /disk /var/tmp
if [ "$driver" = systemd ]; then
  sed -i 's/SystemdCgroup = false/SystemdCgroup = true/' "$bed/config/containerd.toml"
  # As on a node that kind makes: the kubelet has its pods in kubelet.slice, with every controller that it uses.
  sed -i 's/^cgroupDriver: .*/cgroupDriver: systemd/; s/^cgroupRoot: .*/cgroupRoot: "\/kubelet"/' "$bed/config/kubelet.yaml"
  printf '[Slice]\nCPUWeight=100\nMemoryAccounting=yes\nTasksAccounting=yes\nAllowedCPUs=0\n' \
    >/run/systemd/system/kubelet.slice
  systemctl daemon-reload
  systemctl start kubelet.slice
fi
# As a service manager does, or, of what systemd does not know, a node's own scripts.
sed 's/ /\n/g' /sys/fs/cgroup/cgroup.controllers | while read -r controller; do
  echo "+$controller" >/sys/fs/cgroup/cgroup.subtree_control
done
# The emulated API server may take longer than the bed waits; what is called again goes on waiting.
mv "$bed/up.sh" "$bed/once.sh"
cat >"$bed/up.sh" <<AGAIN
#!/bin/sh
for attempt in 1 2 3; do
  "$bed/once.sh" "\$@" && exit
done
exit 1
AGAIN
chmod 755 "$bed/up.sh"
export KBED_KUBE=/test/kube JETTISON_KUBERNETES_BED=$bed OPENSSL_CONF=/test/openssl.cnf
"$tests" --gtest_color=no --gtest_filter="$3" | tee "$out" || exit
grep -q '^\[  PASSED  \] [1-9]' "$out" && ! grep -q '^\[  SKIPPED \]' "$out"
