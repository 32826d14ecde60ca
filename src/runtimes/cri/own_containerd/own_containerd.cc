#include "runtimes/cri/own_containerd/own_containerd.h"

#include <fmt/format.h>
#include <unistd.h>

#include "kernel/files/files.h"
#include "kernel/programs/programs.h"

namespace jettison::cri {
namespace {

// Version 2 of containerd's configuration (containerd-config.toml(5), CRI plugin's config.md).
// - opt and the snapshotters that are switched off would make or probe things of the host.
// - Nothing may need a privilege that a machine in a container lacks: no AppArmor, no negative
//   oom_score_adj (restrict_oom_score_adj: without CAP_SYS_RESOURCE runc refuses the sandbox's).
// - cni: without it pods share the host's network.
// - Root: runc keeps its state outside containerd's otherwise.
constexpr const char* kConfiguration = R"(version = 2
root = "{root}"
state = "{folder}/state"
disabled_plugins = ["io.containerd.internal.v1.opt", "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs",
  "io.containerd.snapshotter.v1.aufs", "io.containerd.tracing.processor.v1.otlp",
  "io.containerd.internal.v1.tracing"]
[grpc]
  address = "{socket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{pause}"
  disable_tcp_service = true
  disable_apparmor = true
  restrict_oom_score_adj = true
  tolerate_missing_hugetlb_controller = true
  stats_collect_period = 1
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "{folder}/no-cni"
    conf_dir = "{folder}/no-cni"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        BinaryName = "{runc}"
        Root = "{folder}/runc"
        SystemdCgroup = {systemd}
)";

Result<std::string> Installed(const std::string& program) {
  auto found = FindProgram(program);
  if (found) return found;
  return Fail(ErrorCode::kNotFound,
              fmt::format("{} is not installed; try: apt-get install containerd runc", program));
}

}  // namespace

Result<pid_t> OwnContainerd::Start() const {
  const auto containerd = Installed("containerd");
  if (!containerd) return Fail(containerd.error());
  const auto runc = Installed("runc");
  if (!runc) return Fail(runc.error());
  if (const auto ctr = Installed("ctr"); !ctr) return Fail(ctr.error());
  const std::string config = folder + "/config.toml";
  const auto written = kernel::WriteFile(
      config, fmt::format(fmt::runtime(kConfiguration), fmt::arg("root", root),
                          fmt::arg("folder", folder), fmt::arg("socket", Socket()),
                          fmt::arg("pause", pause_image), fmt::arg("runc", *runc),
                          fmt::arg("systemd", cgroup_driver == CgroupDriver::kSystemd)));
  if (!written) return Fail(written.error());
  return StartProgram({*containerd, "--config", config}, Log());
}

Result<void> OwnContainerd::Ctr(const std::string& in_namespace,
                                const std::vector<std::string>& words) const {
  const auto ctr = Installed("ctr");
  if (!ctr) return Fail(ctr.error());
  std::vector<std::string> command = {*ctr, "--address", Socket(), "--namespace", in_namespace};
  command.insert(command.end(), words.begin(), words.end());
  const auto said = RunProgram(command);
  return said ? Result<void>() : Fail(said.error());
}

Result<void> OwnContainerd::Import(const std::string& in_namespace,
                                   const std::vector<OwnImage>& images) const {
  const std::string path = folder + "/images.tar";
  const auto archive = ImageArchive(images, path);
  if (!archive) return Fail(archive.error());
  if (auto written = kernel::WriteFile(path, *archive); !written) return written;
  auto imported = Ctr(in_namespace, {"images", "import", path});
  ::unlink(path.c_str());
  return imported;
}

}  // namespace jettison::cri
