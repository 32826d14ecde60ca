#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "tests/live/program.h"

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
[[nodiscard]] inline Ran RunShell(const std::string& command) {
  Ran ran;
  std::FILE* pipe = ::popen(("{ " + command + "\n} 2>&1").c_str(), "re");
  if (pipe == nullptr) return {.status = -1, .output = "cannot be run"};
  std::array<char, 4096> buffer;
  while (const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    ran.output.append(buffer.data(), size);
  }
  const int status = ::pclose(pipe);
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}
// Runs a command whose failure ends the test.
inline void Must(const std::string& command) {
  const Ran ran = RunShell(command);
  ASSERT_EQ(ran.status, 0) << command << "\n" << ran.output;
}

// Manifests of a pod of the bed's image, which is run with these arguments ("hog, '100'"): its
// spec, a deployment of one, and a Job that leaves disruptions out of its count.
[[nodiscard]] inline std::string PodSpec(const std::string& arguments) {
  return fmt::format(
      "{{hostNetwork: true, automountServiceAccountToken: false, terminationGracePeriodSeconds: 5, "
      "containers: [{{name: c, image: 'bed.local/app:1', args: [{}]}}]}}",
      arguments);
}
[[nodiscard]] inline std::string Deployment(const std::string& name, const std::string& arguments) {
  return fmt::format(
      "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {0}}}\nspec:\n  replicas: 1\n"
      "  selector: {{matchLabels: {{app: {0}}}}}\n"
      "  template: {{metadata: {{labels: {{app: {0}}}}}, spec: {1}}}\n",
      name, PodSpec(arguments));
}
[[nodiscard]] inline std::string JobThatIgnoresDisruptions(const std::string& name,
                                                           const std::string& pod_spec) {
  return fmt::format(
      "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: {0}}}\nspec:\n  backoffLimit: 0\n"
      "  podFailurePolicy: {{rules: [{{action: Ignore, onPodConditions: "
      "[{{type: DisruptionTarget, status: 'True'}}]}}]}}\n"
      "  template: {{metadata: {{labels: {{app: {0}}}}}, spec: {1}}}\n",
      name, pod_spec);
}

// Waits until that is so; false: it is not in time.
template <typename Condition>
[[nodiscard]] bool Until(Condition condition,
                         std::chrono::seconds patience = std::chrono::seconds(60)) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    ::poll(nullptr, 0, 20);
  }
  return true;
}

// A control plane with one node, "bed"; gone with this object.
class LiveControlPlane {
 public:
  // `kubelet`: keys of its configuration, a line each. `controller`: one that runs beside the
  // bed's.
  explicit LiveControlPlane(const std::string& kubelet = "", const std::string& controller = "")
      : bed_(BedFolder()), missing_(WhyNot(bed_)) {
    if (!missing_.empty()) return;
    folder_ = fmt::format("/var/tmp/jettison-kube-{}", ::getpid());
    std::string extra = UnpackedPrograms();
    if (!kubelet.empty()) {
      std::filesystem::create_directories(folder_);
      std::ofstream(Path("kubelet-extra.yaml")) << kubelet;
      extra += " KBED_KUBELET_EXTRA=" + Path("kubelet-extra.yaml");
    }
    if (!controller.empty()) extra += " KBED_KCM_ARGS=--controllers=" + controller;
    const Ran up =
        RunShell(fmt::format("{2} '{0}/up.sh' {1} && '{0}/agent.sh' {1}", bed_, folder_, extra));
    if (up.status != 0) missing_ = "the test bed did not start: " + up.output;
  }
  LiveControlPlane(const LiveControlPlane&) = delete;
  LiveControlPlane& operator=(const LiveControlPlane&) = delete;
  ~LiveControlPlane() {
    if (folder_.empty()) return;
    const Ran down = RunShell(fmt::format("'{}/down.sh' {} --purge", bed_, folder_));
    if (down.status != 0) std::fprintf(stderr, "%s", down.output.c_str());
  }

  // Why it cannot be had on this machine; empty: it runs.
  [[nodiscard]] const std::string& missing() const { return missing_; }
  [[nodiscard]] std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] std::string admin() const { return Path("kubeconfig"); }
  // An agent with the rights to pods, their eviction and status, events and the node's status.
  [[nodiscard]] std::string agent() const { return Path("agent.kubeconfig"); }

  // Runs kubectl as administrator.
  [[nodiscard]] Ran Kubectl(const std::string& arguments) const {
    return RunShell(Path("kubectl") + " " + arguments);
  }
  [[nodiscard]] std::string Ask(const std::string& what) const { return Kubectl(what).output; }
  // Makes the image of this build known to the bed's container runtime.
  [[nodiscard]] Ran ImportImage() const {
    return RunShell(
        fmt::format("JETTISON_BUILD={} {}/image.sh {} && ctr -a {} -n k8s.io image import {}",
                    Quoted(JETTISON_BUILD), Quoted(JETTISON_SCRIPTS), Path("image.tar"),
                    Path("containerd.sock"), Path("image.tar")));
  }
  // Applies a manifest, YAML.
  [[nodiscard]] Ran Apply(const std::string& manifest) const {
    std::ofstream(Path("applied.yaml")) << manifest;
    return Kubectl("apply -f " + Path("applied.yaml"));
  }
  // Limits the memory of the bed's groups. Returns the group that is then the agent's node. Where
  // systemd has the groups, they are in the root, and the machine is the node.
  [[nodiscard]] std::string MakeNode(int mebibytes) const {
    if (RunShell("grep '^cgroupDriver: systemd' " + Path("conf/kubelet.yaml")).status == 0) {
      return "/";
    }
    const std::string group = RunShell(". " + Path("settings") + "; printf %s $CGROUP").output;
    const Ran limited = RunShell(fmt::format(
        "cd /sys/fs/cgroup; f=memory/{0}/memory.limit_in_bytes; [ -e $f ] || f={0}/memory.max; "
        "echo {1}M >$f",
        group, mebibytes));
    if (limited.status != 0) std::fprintf(stderr, "%s", limited.output.c_str());
    return "/" + group;
  }
  // Ends the API server at once; and starts it again.
  void KillApiServer() const {
    // Without its file the bed takes it for gone, however long nobody waits for the process.
    const Ran killed =
        RunShell(fmt::format("kill -9 $(cat {0}) && rm {0}", Path("run/kube-apiserver.pid")));
    if (killed.status != 0) std::fprintf(stderr, "%s", killed.output.c_str());
  }
  [[nodiscard]] Ran StartAgain() const {
    return RunShell(fmt::format("'{}/up.sh' {}", bed_, folder_));
  }

 private:
  static std::string BedFolder() {
    const char* named = std::getenv("JETTISON_KUBERNETES_BED");
    return named == nullptr ? JETTISON_KUBERNETES_BED : named;
  }

  static std::string WhyNot(const std::string& bed) {
    if (!std::filesystem::exists(bed + "/up.sh")) {
      return "no test bed for Kubernetes at " + bed + " (JETTISON_KUBERNETES_BED)";
    }
    return ::geteuid() == 0 ? "" : "a control plane needs root";
  }

  // Tells up.sh where its programs are, if whoever runs the tests does not; a bed of their own may
  // have others.
  static std::string UnpackedPrograms() {
    const bool named =
        std::getenv("KBED_KUBE") != nullptr || BedFolder() != JETTISON_KUBERNETES_BED;
    if (named || !std::filesystem::exists(JETTISON_KUBERNETES_PROGRAMS)) return "";
    return "KBED_KUBE='" JETTISON_KUBERNETES_PROGRAMS "'";
  }

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
