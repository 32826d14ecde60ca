// The agent removes images of the runtime that a real kubelet uses.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/kubernetes/live_control_plane.h"
#include "tests/live/program.h"

namespace jettison::kube {
namespace {

using testing::HasSubstr;
using testing::Not;

// Its pods are never evicted.
constexpr const char* kDaemonSet =
    "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: idle}\nspec:\n"
    "  selector: {matchLabels: {app: idle}}\n"
    "  template: {metadata: {labels: {app: idle}}, spec: {hostNetwork: true, "
    "automountServiceAccountToken: false, "
    "containers: [{name: c, image: 'bed.local/app:1', args: [pause]}]}}\n";

class LiveImagesBesideKubelet : public testing::Test {
 protected:
  void SetUp() override {
    if (!plane_.missing().empty()) GTEST_SKIP() << plane_.missing();
    ASSERT_EQ(plane_.Apply(kDaemonSet).status, 0);
    const Ran running = plane_.Kubectl("rollout status daemonset/idle --timeout=60s");
    ASSERT_EQ(running.status, 0) << running.output;
    // Another configuration makes the bed's image another one.
    const Ran imported =
        RunShell("cd " + plane_.Path("") +
                 " && mkdir unused && tar -xf app.tar -C unused && cd unused && "
                 "sed -i 's,bed.local/app:1,host.local/unused:1,' manifest.json && "
                 "sed -i 's,mkimage,unused,' config.json && tar -cf ../unused.tar * && "
                 "ctr -a ../containerd.sock -n k8s.io image import ../unused.tar");
    ASSERT_EQ(imported.status, 0) << imported.output;
  }
  // With a threshold that is always crossed.
  [[nodiscard]] Program StartAgent(bool dry_run) {
    const std::string folder = plane_.Path("");
    // Where systemd has the groups they lie in the root, and the machine is the node.
    const std::string group =
        RunShell("cd " + folder +
                 " && . ./settings && grep -q '^cgroupDriver: systemd' conf/kubelet.yaml || "
                 "printf %s $CGROUP")
            .output;
    std::ofstream(plane_.Path("agent.yaml")) << fmt::format(
        "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
        "cgroupRoot: /\nimageMinimumGCAge: 1s\nevictionHard: {{imagefs.available: '99.9%'}}\n---\n"
        "apiVersion: jettison.io/v1alpha1\nkind: JettisonConfiguration\nsource: kubernetes\n"
        "nodeName: bed\nnodeCgroup: /{0}\nroot: {1}agent\nhttp: {{socket: ''}}\ndryRun: {2}\n"
        "kubernetes: {{kubeconfig: {1}agent.kubeconfig, kubeletDirectory: {1}kubelet, "
        "kubeletConfiguration: {1}conf/kubelet.yaml, collectImages: true}}\n",
        group, folder, dry_run);
    return Program({JETTISON_BINARY, "run", "--config", plane_.Path("agent.yaml")}, {});
  }
  [[nodiscard]] std::string Images() const {
    return RunShell("ctr -a " + plane_.Path("containerd.sock") + " -n k8s.io image list -q").output;
  }

  LiveControlPlane plane_;
};

TEST_F(LiveImagesBesideKubelet, AnUnusedOneIsRemovedAndTheKubeletsStayButADryRunRemovesNone) {
  {
    Program agent = StartAgent(true);
    // A pass comes to this after it has reclaimed.
    ASSERT_TRUE(agent.ReadUntil("unable to evict any pods from the node")) << agent.output();
    EXPECT_THAT(agent.output(), Not(HasSubstr("removed image")));
  }
  EXPECT_THAT(Images(), HasSubstr("host.local/unused:1"));
  Program agent = StartAgent(false);
  ASSERT_TRUE(agent.ReadUntil("image garbage collector: images removed")) << agent.output();
  EXPECT_THAT(Images(), Not(HasSubstr("host.local/unused:1")));
  EXPECT_THAT(Images(), HasSubstr("bed.local/app:1"));
}

}  // namespace
}  // namespace jettison::kube
