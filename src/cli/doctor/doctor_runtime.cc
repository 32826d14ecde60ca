#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "agent/figures/file_systems.h"
#include "cli/doctor/doctor.h"
#include "cli/terminal/text_line.h"
#include "kernel/filesystem/filesystem.h"
#include "kernel/fs_events/filesystem_events.h"
#include "rpc/client.h"

namespace jettison {
namespace {

constexpr const char* kCheck = "container runtime";

std::string TypeOf(const Place& place) {
  return place.mount ? place.mount->type : "unknown";
}

HostCheck MissingRuntime(std::string found, std::string remedy) {
  return Missing(kCheck, std::move(found), "no pod is run, and the eviction loop does not start",
                 std::move(remedy));
}

HostCheck CheckDriver(const AgentConfig& config, const std::optional<CgroupDriver>& told) {
  constexpr const char* kName = "cgroup driver";
  const CgroupDriver wanted = config.cgroup_driver;
  if (!told) {
    return OkCheck(kName,
                   fmt::format("not reported by this runtime; it must be {}", NameOf(wanted)));
  }
  if (*told == wanted) return OkCheck(kName, std::string(NameOf(*told)));
  return MissingToStartPods(
      config,
      Missing(kName,
              fmt::format("{}, but the agent is configured for {}", NameOf(*told), NameOf(wanted)),
              "no pod starts: the two drivers name cgroups differently",
              fmt::format("set cgroupDriver: {} in KubeletConfiguration, or SystemdCgroup = {} for "
                          "the runtime's default handler, and restart it",
                          NameOf(*told), wanted == CgroupDriver::kSystemd)));
}

HostCheck CheckSandboxImage(const cri::RuntimeFacts& facts) {
  constexpr const char* kName = "sandbox image";
  const std::string& image = facts.settings.sandbox_image;
  if (image.empty()) {
    return OkCheck(kName, "not reported by this runtime, which must pin the image itself");
  }
  if (facts.has_sandbox_image) return OkCheck(kName, image + ", never removed");
  return Degraded(
      kName, image + " is missing",
      "the first pod waits until the image is pulled; if no registry answers, no pod starts",
      fmt::format("pull it (crictl pull {0}), import it (ctr -n k8s.io images import "
                  "FILE), or name another as sandbox_image",
                  image));
}

void AppendDiskChecks(const AgentConfig& config, const Result<StorageFolders>& folders,
                      std::vector<HostCheck>& checks) {
  if (!folders) {
    checks.push_back(
        Degraded("disk layout",
                 "the runtime does not report where its images are: " + folders.error().message,
                 "images count as part of nodefs, so a shortage on their own file system is not "
                 "noticed",
                 "read the runtime's log"));
    return;
  }
  const HostCheck layout = DiskLayoutCheck(config, folders->images, folders->containers);
  if (layout.status == HostStatus::kOk) {
    checks.push_back(FilesystemCheck("imagefs", folders->images));
    if (!folders->containers.empty()) {
      checks.push_back(FilesystemCheck("containerfs", folders->containers));
    }
  }
  checks.push_back(layout);
}

// The runtime, or what keeps it from answering.
tl::expected<cri::RuntimeFacts, HostCheck> Asked(const AgentConfig& config, Duration patience) {
  const auto socket = cri::SocketOf(config.container_runtime_endpoint);
  if (!socket) {
    return tl::unexpected(
        MissingRuntime("cri: " + socket.error().message, "correct containerRuntimeEndpoint"));
  }
  auto facts = cri::AskRuntime(config.container_runtime_endpoint, patience);
  if (facts) return *std::move(facts);
  return tl::unexpected(MissingRuntime(
      "cri: " + facts.error().message,
      "start the runtime, or restart it where it hangs (containerd: systemctl restart containerd; "
      "containers keep running), or name the socket of one that speaks CRI v1 in "
      "containerRuntimeEndpoint"));
}

// What a runtime costs that the agent only asks for images. An endpoint that is none keeps the
// agent from starting; everything else may change while it runs.
HostCheck WithoutImages(const AgentConfig& config, HostCheck check) {
  if (!cri::SocketOf(config.container_runtime_endpoint)) {
    check.cost = "the agent does not start";
    return check;
  }
  check.status = HostStatus::kDegraded;
  check.cost =
      "no unused image is removed (kubernetes.collectImages), so pods are evicted for a disk that "
      "images fill, and imagefs.* has the figures of nodefs";
  check.remedy += "; in a cluster, components/images mounts the socket's folder";
  return check;
}

// Beside a kubelet, which runs the pods with it.
std::vector<HostCheck> ImageRuntimeChecks(const AgentConfig& config, Duration patience) {
  if (!config.kubernetes.collect_images) {
    return {OkCheck(kCheck, "the kubelet's; the agent does not ask it"),
            DiskLayoutCheck(config, "", "")};
  }
  const auto answering = Asked(config, patience);
  if (!answering) return {WithoutImages(config, answering.error())};
  const cri::RuntimeFacts& facts = *answering;
  std::vector<HostCheck> checks = {
      OkCheck(kCheck, fmt::format("cri: {} {} at {}, asked for images", facts.name, facts.version,
                                  config.container_runtime_endpoint))};
  AppendDiskChecks(config, facts.folders, checks);
  return checks;
}

}  // namespace

Place NearestExisting(const std::string& folder) {
  Place place = FindPlace(folder);
  std::error_code ignored;
  std::filesystem::path path = place.path;
  while (place.answers_by_itself && path.has_relative_path() &&
         !std::filesystem::exists(path, ignored)) {
    path = path.parent_path();
  }
  place.path = path;
  return place;
}

const std::string& NodeFsOf(const AgentConfig& config) {
  return config.node_fs.empty() ? config.root : config.node_fs;
}

HostCheck FilesystemCheck(std::string_view signals, const std::string& folder) {
  const Place place = NearestExisting(folder);
  const std::string type = TypeOf(place);
  const auto stats = DiskStatsReader().Read(place.path, {});
  const std::string check(signals);
  if (!stats) {
    return Missing(check, fmt::format("{}: {}, {}", folder, type, stats.error().message),
                   fmt::format("{} is unknown", signals), "name a directory that can be reached");
  }
  std::string found =
      fmt::format("{}: {}, {} of {} available", folder, type, BytesText(*stats->available_bytes),
                  BytesText(*stats->capacity_bytes));
  if (stats->inodes) {
    found += fmt::format(", {} of {} inodes free", *stats->inodes_free, *stats->inodes);
  }
  if (place.mount && place.mount->HasOption("ro")) {
    return Degraded(check, found + ", read-only",
                    fmt::format("nothing can be deleted to reclaim {}", signals),
                    "mount it read-write, or name another directory");
  }
  if (!place.answers_by_itself) {
    return Degraded(
        check, found + ", which a server or another process answers for",
        fmt::format("{} is unknown whenever the file system does not answer within 100 ms",
                    signals),
        "use a local file system for what the agent guards");
  }
  if (stats->inodes) return OkCheck(check, found);
  return Degraded(check, found + ", inodes not counted",
                  fmt::format("{}.inodesFree is not watched; this kind of file system cannot run "
                              "out of inodes before it runs out of space",
                              signals),
                  "none needed; ext4 or xfs count inodes");
}

HostCheck DiskChangesCheck(const std::string& root) {
  const Place place = NearestExisting(root);
  const auto events =
      place.answers_by_itself
          ? FilesystemEvents::Of(place.path)
          : Fail(ErrorCode::kUnavailable, TypeOf(place) + " does not report what others change");
  const std::string told =
      KernelAnnouncesOverlayWrites()
          ? "reported by the kernel: only what changed is read again"
          : "reported by the kernel, except in writable layers, which are read whole";
  return CheckOf(events ? Result<std::string>(told) : Fail(events.error()),
                 Degraded("changes on disk", "", "all files of pods are read in every pass",
                          "Linux 5.9 or later, CAP_SYS_ADMIN, and ext4 or xfs"));
}

HostCheck DiskLayoutCheck(const AgentConfig& config, const std::string& images,
                          const std::string& layers) {
  const DiskSurvey survey = SurveyDisks(
      {.node = NearestExisting(NodeFsOf(config)).path, .images = images, .containers = layers});
  if (survey.faults.empty()) return OkCheck("disk layout", Describe(survey.layout));
  return Degraded("disk layout", survey.faults.front(),
                  "it counts as part of nodefs, so a shortage on it alone is not noticed",
                  "run the agent where it sees the runtime's folders");
}

std::vector<HostCheck> ContainerRuntimeChecks(const AgentConfig& config,
                                              const cri::RuntimeFacts& facts) {
  const std::string found =
      fmt::format("cri: {} {} at {}", facts.name, facts.version, config.container_runtime_endpoint);
  std::vector<HostCheck> checks = {
      facts.not_ready ? MissingRuntime(fmt::format("{}: not ready: {}", found, *facts.not_ready),
                                       "read the runtime's log")
                      : OkCheck(kCheck, found),
      CheckDriver(config, facts.settings.cgroup_driver), CheckSandboxImage(facts),
      OkCheck("pod network",
              facts.no_network ? fmt::format("the host's, for all pods: the runtime has none ({})",
                                             *facts.no_network)
                               : "the runtime's")};
  AppendDiskChecks(config, facts.folders, checks);
  return checks;
}

std::vector<HostCheck> RuntimeChecks(const AgentConfig& config, Duration patience) {
  if (config.source == SourceKind::kKubernetes) return ImageRuntimeChecks(config, patience);
  if (config.runtime == RuntimeKind::kProcess) {
    return {OkCheck(kCheck, "process: part of the agent"), DiskLayoutCheck(config, "", "")};
  }
  const auto answering = Asked(config, patience);
  if (!answering) return {answering.error()};
  return ContainerRuntimeChecks(config, *answering);
}

}  // namespace jettison
