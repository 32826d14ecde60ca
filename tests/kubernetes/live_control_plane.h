#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace jettison::kube {

// A pod "writer" that the kubelet evicts. Its volume may hold 4 MiB, of which it writes 16.
inline constexpr const char* kWriterBeyondItsVolume =
    "apiVersion: v1\nkind: Pod\nmetadata: {name: writer}\nspec:\n"
    "  hostNetwork: true\n  automountServiceAccountToken: false\n"
    "  terminationGracePeriodSeconds: 1\n"
    "  containers: [{name: c, image: 'bed.local/app:1', args: [file, '16', /scratch/f], "
    "volumeMounts: [{name: scratch, mountPath: /scratch}]}]\n"
    "  volumes: [{name: scratch, emptyDir: {sizeLimit: 4Mi}}]\n";

// What a command said and how it ended.
struct Ran {
  int status = 0;
  std::string output;  // both streams
};
[[nodiscard]] Ran RunShell(const std::string& command);

// A control plane with one node, "bed"; gone with this object.
class LiveControlPlane {
 public:
  // `kubelet`: keys of its configuration, a line each. `controller`: one that runs beside the
  // bed's.
  explicit LiveControlPlane(const std::string& kubelet = "", const std::string& controller = "");
  LiveControlPlane(const LiveControlPlane&) = delete;
  LiveControlPlane& operator=(const LiveControlPlane&) = delete;
  ~LiveControlPlane();

  // Why it cannot be had on this machine; empty: it runs.
  [[nodiscard]] const std::string& missing() const { return missing_; }
  [[nodiscard]] std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  [[nodiscard]] std::string admin() const { return Path("kubeconfig"); }
  // An agent with the rights to pods, their eviction and status, events and the node's status.
  [[nodiscard]] std::string agent() const { return Path("agent.kubeconfig"); }

  // Runs kubectl as administrator.
  [[nodiscard]] Ran Kubectl(const std::string& arguments) const;
  // Applies a manifest, YAML.
  [[nodiscard]] Ran Apply(const std::string& manifest) const;
  // Limits the memory of the bed's groups. Returns the group that is then the agent's node. Where
  // systemd has the groups, they are in the root, and the machine is the node.
  [[nodiscard]] std::string MakeNode(int mebibytes) const;
  // Ends the API server at once; and starts it again.
  void KillApiServer() const;
  [[nodiscard]] Ran StartAgain() const;

 private:
  std::string bed_;     // with up.sh
  std::string folder_;  // of this one
  std::string missing_;
};

// A suite whose tests share one control plane, because it takes longer to start than they take.
// Each removes what it has made. CTest runs such a suite in one process (jettison_register_suite).
class LiveSharedControlPlane : public testing::Test {
 protected:
  static void SetUpTestSuite() { shared_ = std::make_unique<LiveControlPlane>(); }
  static void TearDownTestSuite() { shared_.reset(); }

  LiveControlPlane& plane_ = *shared_;

 private:
  static inline std::unique_ptr<LiveControlPlane> shared_;
};

}  // namespace jettison::kube
