#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/doctor/doctor.h"
#include "ports/file_descriptor.h"
#include "rpc/client.h"

namespace jettison {
namespace {

constexpr const char* kCheck = "container runtime";

HostCheck MissingRuntime(std::string found, std::string remedy) {
  return Missing(kCheck, std::move(found), "no pod is run, and the eviction loop does not start",
                 std::move(remedy));
}

// A connection to a socket, or errno.
struct Connection {
  FileDescriptor fd;
  int error = 0;
};

Connection ConnectTo(const std::string& socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket.size() >= sizeof address.sun_path) return {.fd = {}, .error = ENAMETOOLONG};
  socket.copy(address.sun_path, socket.size());
  Connection connection;
  // A listener whose queue is full would be waited for.
  connection.fd = FileDescriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
  if (!connection.fd || ::connect(connection.fd.get(), generic, sizeof address) != 0) {
    connection.error = errno;
  }
  return connection;
}

HostCheck Unreachable(const std::string& socket, int error) {
  const std::string found =
      fmt::format("cri: {}: {}", socket, std::generic_category().message(error));
  std::error_code ignored;
  switch (error) {
    case ENOENT:
      return MissingRuntime(
          found,
          "start the runtime (containerd: apt-get install containerd, systemctl start "
          "containerd), or correct containerRuntimeEndpoint");
    case ECONNREFUSED:
      if (!std::filesystem::is_socket(socket, ignored)) {
        return MissingRuntime(found + ", it is not a socket",
                              "name the runtime's socket in containerRuntimeEndpoint");
      }
      return MissingRuntime(found + ", no process listens",
                            "start the runtime again (containerd: systemctl restart containerd)");
    case EAGAIN:
      return MissingRuntime(
          fmt::format("cri: {}: no process accepts connections", socket),
          "find out why the runtime hangs, or restart it; containers keep running");
    case EACCES: return MissingRuntime(found, "run as root");
    default: return MissingRuntime(found, "correct containerRuntimeEndpoint");
  }
}

HostCheck Unanswered(const Error& error) {
  const std::string found = "cri: " + error.message;
  switch (error.code) {
    case ErrorCode::kDeadlineExceeded:
      return MissingRuntime(
          found,
          "find out why the runtime hangs (containerd: journalctl -u containerd), or restart it "
          "(containers keep running), or correct containerRuntimeEndpoint");
    case ErrorCode::kUnavailable:
      return MissingRuntime(found,
                            "name the socket of a runtime that speaks CRI v1: containerd does "
                            "since 1.6, unless disabled_plugins in its configuration names cri");
    default: return MissingRuntime(found, "read the runtime's log");
  }
}

// Whether whoever listens at the other end may lower an oom_score_adj, by its capabilities.
std::optional<bool> LowersOomScores(int fd) {
  constexpr unsigned kCapSysResource = 24;
  constexpr std::string_view kEffective = "CapEff:";
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
  std::ifstream status(fmt::format("/proc/{}/status", peer.pid));
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(kEffective)) continue;
    const auto capabilities = std::strtoull(line.c_str() + kEffective.size(), nullptr, 16);
    return (capabilities >> kCapSysResource & 1) != 0;
  }
  return std::nullopt;
}

HostCheck CheckReadiness(const AgentConfig& config, const cri::RuntimeFacts& facts) {
  const std::string found =
      fmt::format("cri: {} {} at {}", facts.name, facts.version, config.container_runtime_endpoint);
  if (!facts.not_ready) return OkCheck(kCheck, found);
  return MissingRuntime(fmt::format("{}: not ready: {}", found, *facts.not_ready),
                        "read the runtime's log");
}

HostCheck CheckDriver(CgroupDriver wanted, const std::optional<CgroupDriver>& told) {
  constexpr const char* kName = "cgroup driver";
  if (!told) {
    return OkCheck(kName,
                   fmt::format("not reported by this runtime; it must be {}", NameOf(wanted)));
  }
  if (*told == wanted) return OkCheck(kName, std::string(NameOf(*told)));
  return ToStartPods(Missing(
      kName, fmt::format("{}, but the agent is configured for {}", NameOf(*told), NameOf(wanted)),
      "no pod starts: the two drivers name cgroups differently",
      fmt::format("set cgroupDriver: {} in KubeletConfiguration, or SystemdCgroup = {} for the "
                  "runtime's default handler (containerd: "
                  "[plugins.\"io.containerd.grpc.v1.cri\".containerd.runtimes.runc.options] in "
                  "/etc/containerd/config.toml) and restart it",
                  NameOf(*told), wanted == CgroupDriver::kSystemd)));
}

HostCheck CheckSandboxImage(const cri::RuntimeFacts& facts) {
  constexpr const char* kName = "sandbox image";
  const std::string& image = facts.settings.sandbox_image;
  if (image.empty()) {
    return OkCheck(kName, "not reported by this runtime, which must pin the image itself");
  }
  if (facts.has_sandbox_image) return OkCheck(kName, image + ", never removed");
  return ToStartPods(Degraded(
      kName, image + " is missing",
      "the first pod waits until the image is pulled; if no registry answers, no pod starts",
      fmt::format("pull it (crictl pull {0}), import it (ctr -n k8s.io images import "
                  "FILE), or name another as sandbox_image",
                  image)));
}

HostCheck CheckPodNetwork(const std::optional<std::string>& no_network) {
  constexpr const char* kName = "pod network";
  if (!no_network) return OkCheck(kName, "the runtime's");
  return OkCheck(kName,
                 fmt::format("the host's, for all pods: the runtime has none ({})", *no_network));
}

// Sandboxes get a negative one in any case.
HostCheck CheckOomScores(const AnsweringRuntime& runtime) {
  constexpr const char* kName = "oom_score_adj of pods";
  if (runtime.lowers_oom_scores.value_or(true)) return OkCheck(kName, "can be lowered");
  const auto restricts = runtime.facts.settings.restricts_oom_score_adj;
  HostCheck check = ToStartPods(
      Degraded(kName, "the runtime cannot lower it, and leaves it unchanged",
               "if the kernel's OOM killer acts before the agent, it may kill a guaranteed pod",
               "give the runtime CAP_SYS_RESOURCE"));
  if (restricts.value_or(true)) return check;
  check.status = HostStatus::kMissing;
  check.found = "the runtime cannot lower it, and fails when it is asked to";
  check.cost = "no pod starts, because its sandbox needs a negative value";
  check.remedy += ", or set restrict_oom_score_adj = true in its configuration";
  return check;
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
tl::expected<AnsweringRuntime, HostCheck> Asked(const AgentConfig& config, Duration patience) {
  const auto socket = cri::SocketOf(config.container_runtime_endpoint);
  if (!socket) {
    return tl::unexpected(
        MissingRuntime("cri: " + socket.error().message, "correct containerRuntimeEndpoint"));
  }
  const Connection connection = ConnectTo(*socket);
  if (connection.error != 0) return tl::unexpected(Unreachable(*socket, connection.error));
  auto facts = cri::AskRuntime(config.container_runtime_endpoint, patience);
  if (!facts) return tl::unexpected(Unanswered(facts.error()));
  return AnsweringRuntime{.facts = *std::move(facts),
                          .lowers_oom_scores = LowersOomScores(connection.fd.get())};
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
  const cri::RuntimeFacts& facts = answering->facts;
  std::vector<HostCheck> checks = {
      OkCheck(kCheck, fmt::format("cri: {} {} at {}, asked for images", facts.name, facts.version,
                                  config.container_runtime_endpoint))};
  AppendDiskChecks(config, facts.folders, checks);
  return checks;
}

}  // namespace

HostCheck ForeignPodsCheck(const AgentConfig& config, const Result<GuardTrial>& trial) {
  constexpr const char* kName = "foreign pods";
  if (!trial) {
    return Degraded(kName, "they cannot be looked for: " + trial.error().message,
                    "foreign pods are watched only once the runtime reports them",
                    "read the runtime's log");
  }
  const std::string found =
      fmt::format("{} can be guarded (adopt: {})", trial->guarded, NameOf(config.adopt));
  if (trial->problems.empty()) return OkCheck(kName, found);
  return Degraded(kName, fmt::format("{}; {}", found, fmt::join(trial->problems, "; ")),
                  "what is named is not guarded, or not as a whole: other pods may be evicted in "
                  "its place",
                  "see \"Foreign pods\" in docs/cri-runtime.md");
}

std::vector<HostCheck> ContainerRuntimeChecks(const AgentConfig& config,
                                              const AnsweringRuntime& runtime) {
  const cri::RuntimeFacts& facts = runtime.facts;
  std::vector<HostCheck> checks;
  checks.push_back(CheckReadiness(config, facts));
  checks.push_back(CheckDriver(config.cgroup_driver, facts.settings.cgroup_driver));
  checks.push_back(CheckSandboxImage(facts));
  checks.push_back(CheckPodNetwork(facts.no_network));
  checks.push_back(CheckOomScores(runtime));
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
  auto checks = ContainerRuntimeChecks(config, *answering);
  if (config.adopt != AdoptPolicy::kNone) {
    checks.push_back(ForeignPodsCheck(config, TryToGuard(config, patience)));
  }
  return checks;
}

}  // namespace jettison
