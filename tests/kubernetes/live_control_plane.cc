#include "tests/kubernetes/live_control_plane.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace jettison::kube {
namespace {

std::string BedFolder() {
  const char* named = std::getenv("JETTISON_KUBERNETES_BED");
  return named == nullptr ? JETTISON_KUBERNETES_BED : named;
}

std::string WhyNot(const std::string& bed) {
  if (!std::filesystem::exists(bed + "/up.sh")) {
    return "no test bed for Kubernetes at " + bed + " (JETTISON_KUBERNETES_BED)";
  }
  return ::geteuid() == 0 ? "" : "a control plane needs root";
}

// Tells up.sh where its programs are, if whoever runs the tests does not; a bed of their own may
// have others.
std::string UnpackedPrograms() {
  const bool named = std::getenv("KBED_KUBE") != nullptr || BedFolder() != JETTISON_KUBERNETES_BED;
  if (named || !std::filesystem::exists(JETTISON_KUBERNETES_PROGRAMS)) return "";
  return "KBED_KUBE='" JETTISON_KUBERNETES_PROGRAMS "'";
}

}  // namespace

Ran RunShell(const std::string& command) {
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

LiveControlPlane::LiveControlPlane(const std::string& kubelet, const std::string& controller)
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

LiveControlPlane::~LiveControlPlane() {
  if (folder_.empty()) return;
  const Ran down = RunShell(fmt::format("'{}/down.sh' {} --purge", bed_, folder_));
  if (down.status != 0) std::fprintf(stderr, "%s", down.output.c_str());
}

Ran LiveControlPlane::Kubectl(const std::string& arguments) const {
  return RunShell(Path("kubectl") + " " + arguments);
}

Ran LiveControlPlane::Apply(const std::string& manifest) const {
  std::ofstream(Path("applied.yaml")) << manifest;
  return Kubectl("apply -f " + Path("applied.yaml"));
}

std::string LiveControlPlane::MakeNode(int mebibytes) const {
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

void LiveControlPlane::KillApiServer() const {
  // Without its file the bed takes it for gone, however long nobody waits for the process.
  const Ran killed =
      RunShell(fmt::format("kill -9 $(cat {0}) && rm {0}", Path("run/kube-apiserver.pid")));
  if (killed.status != 0) std::fprintf(stderr, "%s", killed.output.c_str());
}

Ran LiveControlPlane::StartAgain() const {
  return RunShell(fmt::format("'{}/up.sh' {}", bed_, folder_));
}

}  // namespace jettison::kube
