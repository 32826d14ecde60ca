#include "agent/machine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <limits>
#include <string>
#include <system_error>

#include "decide/pod_requests.h"
#include "decide/qos.h"
#include "platform/documents/json.h"
#include "platform/kube_json/pod_reader.h"
#include "platform/kube_json/pod_writer.h"
#include "platform/process/process_runtime.h"
#include "pod_host/cgroup_layout.h"
#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

constexpr std::int64_t kNeverRotated = std::numeric_limits<std::int64_t>::max();

std::string WithoutLeadingSlash(const std::string& path) {
  return path.starts_with('/') ? path.substr(1) : path;
}

Result<void> CheckRoot(const std::string& root) {
  if (geteuid() != 0) {
    return Fail(ErrorCode::kPermissionDenied,
                "the agent makes control groups and ends processes of others, so it must be root: "
                "run it as a service or with sudo");
  }
  std::error_code error;
  std::filesystem::create_directories(root, error);
  if (error || access(root.c_str(), W_OK) != 0) {
    return Fail(ErrorCode::kPermissionDenied,
                fmt::format("root directory {} cannot be written: {}; set `root` in "
                            "JettisonConfiguration to a directory that can",
                            root, error ? error.message() : std::string("not writable")));
  }
  return {};
}

std::optional<pod_host::CpuQuota> CpuQuotaOf(const CpuQuotaPolicy& policy) {
  if (!policy.enforced) return std::nullopt;
  const auto period = std::chrono::duration_cast<std::chrono::microseconds>(policy.period);
  return pod_host::CpuQuota{.period_us = static_cast<std::uint64_t>(period.count())};
}

Result<std::unique_ptr<CgroupV1>> OpenGroups(const std::string& group) {
  // Nothing on this thread may wait; the runtime tries a busy group again by itself.
  auto groups = CgroupV1::Open(
      {.node_cgroup = WithoutLeadingSlash(group), .remove_patience = std::chrono::milliseconds(0)});
  if (groups) return groups;
  Error error = groups.error();
  if (error.code == ErrorCode::kNotFound) {
    error.message += fmt::format(
        "; make the group and give it its memory limit, or set `nodeCgroup` to one that exists "
        "(mkdir /sys/fs/cgroup/memory/{})",
        WithoutLeadingSlash(group));
  }
  return Fail(error.In("control groups of the node"));
}

Result<Pod> ParsePod(std::string_view text) {
  const auto document = ParseJson(text);
  if (!document) return Fail(document.error());
  PodReading reading = ReadPod(*document, {.file = {}, .form = PodForm::kApiObject});
  if (!reading.Ok()) return Fail(ErrorCode::kInvalidArgument, Describe(reading.faults.front()));
  return std::move(reading.pod);
}

Result<std::unique_ptr<ContainerRuntime>> OpenRuntime(const AgentConfig& config, CgroupV1& groups,
                                                      const Clock& clock, const Log& log) {
  if (config.runtime != RuntimeKind::kProcess) {
    return Fail(ErrorCode::kUnavailable,
                fmt::format("the runtime `{}` is not part of this version; set `runtime: process` "
                            "in JettisonConfiguration",
                            NameOf(config.runtime)));
  }
  ProcessRuntimeOptions options;
  options.root = config.root;
  options.logs = config.logs.directory;
  options.format_pod = [](const Pod& pod) { return WritePod(pod); };
  options.parse_pod = ParsePod;
  options.rules = {.qos_class = [](const Pod& pod) { return QosClassOf(pod); },
                   .request = EffectiveRequest,
                   .limit = EffectiveLimit};
  options.rules.cpu_quota = CpuQuotaOf(config.cpu_quota);
  options.pod_pids_limit = config.pod_pids_limit;
  options.log_max_bytes =
      static_cast<std::uint64_t>(config.logs.max_size_bytes.value_or(kNeverRotated));
  options.log_max_files = config.logs.max_files;
  options.log = [&log](std::string_view message) {
    log.Warn("process runtime", {{"problem", message}});
  };
  return OpenProcessRuntime(std::move(options), groups, clock);
}

void SetOomScoreAdj(int value, const Log& log) {
  const FileDescriptor file(open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  const std::string text = fmt::to_string(value);
  if (file && write(file.get(), text.data(), text.size()) > 0) return;
  log.Warn("the agent's own oom_score_adj cannot be set; the kernel may end it before a pod",
           {{"oomScoreAdj", text},
            {"err", SystemError(errno, "write").message},
            {"mend", "give the agent CAP_SYS_RESOURCE"}});
}

CgroupLimits PodsGroupLimits(const AgentConfig& config, const ResourceList& capacity) {
  CgroupLimits limits;
  if (!config.reservation.enforce_pods) return limits;
  const ResourceList allowed = PodsLimit(capacity, config.reservation);
  limits.memory_bytes = static_cast<std::uint64_t>(allowed.at("memory").Value());
  limits.cpu_shares = pod_host::CpuShares(allowed.at("cpu").MilliValue());
  return limits;
}

}  // namespace

Result<std::unique_ptr<Machine>> OpenMachine(const AgentConfig& config, const Log& log) {
  if (const auto root = CheckRoot(config.root); !root) return Fail(root.error());
  auto machine = std::make_unique<Machine>();
  auto groups = OpenGroups(config.node_cgroup);
  if (!groups) return Fail(groups.error());
  machine->node_groups = std::move(*groups);
  if (!config.cgroup_root.empty()) {
    const auto made =
        machine->node_groups->Create(WithoutLeadingSlash(config.cgroup_root), CgroupLimits{});
    if (!made) return Fail(made.error().In("cgroupRoot " + config.cgroup_root));
    auto below = OpenGroups(config.node_cgroup + config.cgroup_root);
    if (!below) return Fail(below.error());
    machine->groups_of_root = std::move(*below);
  }
  auto procfs = Procfs::Open();
  if (!procfs) return Fail(procfs.error());
  machine->procfs = std::make_unique<Procfs>(std::move(*procfs));
  auto runtime = OpenRuntime(config, machine->pod_groups(), machine->clock, log);
  if (!runtime) return Fail(runtime.error());
  machine->runtime = std::move(*runtime);
  if (!config.static_pod_path.empty()) {
    auto manifests = ManifestDirectory::Open(config.static_pod_path);
    if (!manifests) return Fail(manifests.error());
    machine->manifests = std::make_unique<ManifestDirectory>(std::move(*manifests));
  }
  return machine;
}

void SetUpNode(const AgentConfig& config, const ResourceList& capacity, Machine& machine,
               const Log& log) {
  SetOomScoreAdj(config.oom_score_adj, log);
  const auto made =
      machine.pod_groups().Create(pod_host::kPodsGroup, PodsGroupLimits(config, capacity));
  if (!made) {
    log.Error("the limits of the pods' group cannot be set", {{"err", made.error().message}});
  }
}

}  // namespace jettison
