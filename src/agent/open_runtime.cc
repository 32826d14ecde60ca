#include "agent/open_runtime.h"

#include <fmt/format.h>

#include <limits>
#include <string>
#include <utility>

#include "agent/plans/json_pods.h"
#include "agent/plans/plan_of.h"
#include "kernel/processes/processes.h"
#include "machine/cgroups/pods_root.h"
#include "machine/loop/job_queue.h"
#include "machine/own_process/own_threads.h"
#include "machine/pods/kubelet_pods.h"
#include "machine/pods/open_sources.h"
#include "rpc/client.h"
#include "runtimes/cri/cri_runtime.h"
#include "runtimes/cri/images/image_store.h"
#include "runtimes/process/process_runtime.h"

namespace jettison {
namespace {

constexpr std::int64_t kNeverRotated = std::numeric_limits<std::int64_t>::max();

auto LogOf(const Log& log, const char* runtime) {
  return [&log, runtime](std::string_view message) { log.Warn(runtime, {{"problem", message}}); };
}

Result<OpenedRuntime> OpenProcess(const AgentConfig& config, const RuntimeEdges& dependencies) {
  ProcessRuntimeOptions options;
  options.root = config.root;
  options.logs = config.logs.directory;
  options.written_pods = std::make_shared<JsonPods>(LimitSettingsOf(config));
  options.cgroup_driver = config.cgroup_driver;
  if (!config.cgroup_root.empty()) options.cgroup_root = config.cgroup_root.substr(1) + "/";
  options.log_max_bytes =
      static_cast<std::uint64_t>(config.logs.max_size_bytes.value_or(kNeverRotated));
  options.log_max_files = config.logs.max_files;
  options.path_patience.slow_paths = std::make_shared<SlowPathThreads>();
  options.disk_thread = dependencies.disk_thread;
  options.log = LogOf(dependencies.log, "process runtime");
  auto runtime = OpenProcessRuntime(std::move(options), dependencies.pod_groups,
                                    dependencies.group_end, dependencies.clock);
  if (!runtime) return Fail(runtime.error());
  return OpenedRuntime{.runtime = std::move(*runtime), .images = nullptr};
}

Result<std::unique_ptr<cri::Calls>> ConnectTo(const AgentConfig& config) {
  auto calls =
      cri::Connect(config.container_runtime_endpoint, {.threads_can_be_had = CanStartThreads});
  if (!calls) return Fail(calls.error().In("containerRuntimeEndpoint"));
  return calls;
}

Result<OpenedRuntime> OpenCri(const AgentConfig& config, const RuntimeEdges& dependencies) {
  auto calls = ConnectTo(config);
  if (!calls) return Fail(calls.error());
  CriRuntimeOptions options;
  options.root = config.root;
  options.logs = config.logs.directory;
  options.cgroup_prefix = config.node_cgroup + config.cgroup_root;
  options.written_pods = std::make_shared<JsonPods>(LimitSettingsOf(config));
  options.cgroup_driver = config.cgroup_driver;
  options.request_timeout = config.runtime_request_timeout;
  options.log_max_bytes = config.logs.max_size_bytes;
  options.log_max_files = config.logs.max_files;
  options.path_patience.slow_paths = std::make_shared<SlowPathThreads>();
  options.disk_thread = dependencies.disk_thread;
  options.log = LogOf(dependencies.log, "container runtime");
  cri::Calls& shared = **calls;  // owned by the runtime, which outlives the images
  auto own = OpenCriRuntime(options, std::move(*calls), dependencies.pod_groups,
                            dependencies.group_end, dependencies.clock);
  if (!own) return Fail(own.error());
  auto all = WithForeignPods(std::move(*own), {.calls = shared,
                                               .options = options,
                                               .adopt = config.adopt != AdoptPolicy::kNone,
                                               .processes = std::make_unique<HostProcesses>(),
                                               .cgroups = dependencies.pod_groups,
                                               .group_end = dependencies.group_end,
                                               .clock = dependencies.clock});
  if (!all) return Fail(all.error());
  return OpenedRuntime{.runtime = std::move(*all),
                       .images = std::make_unique<cri::CriImageStore>(shared)};
}

// Dead containers are the kubelet's, and so are images unless `collectImages` is set.
Result<OpenedRuntime> OpenKubelet(const AgentConfig& config, const RuntimeEdges& dependencies) {
  std::unique_ptr<cri::Calls> calls;
  std::unique_ptr<ImageStore> images;
  if (config.kubernetes.collect_images) {
    auto connected = ConnectTo(config);
    if (!connected) return Fail(connected.error());
    calls = std::move(*connected);
    images = std::make_unique<cri::CriImageStore>(*calls);
  }
  auto pods = OpenKubeletPods({.feed = *dependencies.cluster,
                               .places = {.directory = config.kubernetes.kubelet_directory,
                                          .pod_logs = config.logs.directory,
                                          .evict_daemon_sets = config.kubernetes.evict_daemon_sets,
                                          .jobs = config.kubernetes.jobs},
                               .cgroup_prefix = PodsRootOf(config),
                               .group_names = GroupNamesOf(config),
                               .processes = std::make_unique<HostProcesses>(),
                               .cgroups = dependencies.pod_groups,
                               .group_end = dependencies.group_end,
                               .clock = dependencies.clock,
                               .calls = std::move(calls),
                               .log = LogOf(dependencies.log, "kubelet")});
  if (!pods) return Fail(pods.error());
  return OpenedRuntime{.runtime = std::move(*pods), .images = std::move(images)};
}

}  // namespace

std::string_view FirstLinuxFor(RuntimeKind runtime) {
  return runtime == RuntimeKind::kProcess ? "5.12" : "5.8";
}

Result<void> CanRemovePods(const AgentConfig& config, const kernel::MountCalls& calls) {
  if (config.static_pod_path.empty()) return {};
  const std::string missing = kernel::MissingCalls(calls, config.runtime == RuntimeKind::kProcess);
  if (missing.empty()) return {};
  return Fail(
      ErrorCode::kUnavailable,
      fmt::format("staticPodPath: this kernel has no {}, without which the volumes of a pod "
                  "cannot be removed safely; use Linux {} or later",
                  missing, FirstLinuxFor(config.runtime)));
}

Result<OpenedRuntime> OpenRuntime(const AgentConfig& config, const RuntimeEdges& dependencies) {
  if (dependencies.cluster != nullptr) return OpenKubelet(config, dependencies);
  if (auto able = CanRemovePods(config, kernel::ProbeMountCalls()); !able)
    return Fail(able.error());
  switch (config.runtime) {
    case RuntimeKind::kProcess: return OpenProcess(config, dependencies);
    case RuntimeKind::kCri: return OpenCri(config, dependencies);
  }
  __builtin_unreachable();
}

}  // namespace jettison
