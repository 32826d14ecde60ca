#include "machine/runtimes.h"

#include <limits>
#include <utility>

#include "agent/loop/background_thread.h"
#include "agent/plans/json_pods.h"
#include "agent/plans/plan_of.h"
#include "kernel/processes/host_processes.h"
#include "machine/pods/open_sources.h"
#include "machine/slow_path_threads.h"
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

Result<OpenedRuntime> OpenProcess(const AgentConfig& config, Cgroups& groups, GroupEnd& group_end,
                                  const Clock& clock, const Log& log) {
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
  options.log = LogOf(log, "process runtime");
  auto runtime = OpenProcessRuntime(std::move(options), groups, group_end, clock);
  if (!runtime) return Fail(runtime.error());
  return OpenedRuntime{.runtime = std::move(*runtime), .images = nullptr};
}

Result<OpenedRuntime> OpenCri(const AgentConfig& config, Cgroups& groups, GroupEnd& group_end,
                              const Clock& clock, const Log& log) {
  const auto ahead = [&clock] {
    return SaturatingDifference(clock.Wall().time_since_epoch(), clock.Now().time_since_epoch());
  };
  auto calls = cri::Connect(config.container_runtime_endpoint,
                            {.threads_can_be_had = CanStartThreads, .wall_clock_ahead = ahead});
  if (!calls) return Fail(calls.error().In("containerRuntimeEndpoint"));
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
  options.log = LogOf(log, "container runtime");
  cri::Calls& shared = **calls;  // owned by the runtime, which outlives the images
  auto own = OpenCriRuntime(options, std::move(*calls), groups, group_end, clock);
  if (!own) return Fail(own.error());
  auto all = WithPodsOfOthers(std::move(*own), {.calls = shared,
                                                .options = options,
                                                .adopt = config.adopt != AdoptPolicy::kNone,
                                                .processes = std::make_unique<HostProcesses>(),
                                                .cgroups = groups,
                                                .group_end = group_end,
                                                .clock = clock});
  if (!all) return Fail(all.error());
  return OpenedRuntime{.runtime = std::move(*all),
                       .images = std::make_unique<cri::CriImageStore>(shared)};
}

}  // namespace

Result<OpenedRuntime> OpenRuntime(const AgentConfig& config, Cgroups& pod_groups,
                                  GroupEnd& group_end, const Clock& clock, const Log& log) {
  switch (config.runtime) {
    case RuntimeKind::kProcess: return OpenProcess(config, pod_groups, group_end, clock, log);
    case RuntimeKind::kCri: return OpenCri(config, pod_groups, group_end, clock, log);
  }
  __builtin_unreachable();
}

}  // namespace jettison
