#include "agent/open_cluster.h"

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "agent/cluster/link/cluster_state_log.h"
#include "core/model/fault.h"
#include "sources/kubernetes/credentials/access_source.h"
#include "sources/kubernetes/credentials/api_access.h"

namespace jettison {
namespace {

// Only to keep agents from asking all at once.
std::function<double()> Chance() {
  return [engine = std::mt19937(std::random_device()())]() mutable {
    return std::uniform_real_distribution<double>(0, 1)(engine);
  };
}

kube::AccessSource::Read AccessReader(const KubernetesConfig& config) {
  return [path = config.kubeconfig] {
    return path.empty() ? kube::AccessByServiceAccount(kube::OwnServiceAccount())
                        : kube::AccessByKubeconfig(path);
  };
}

std::function<void(ConfigReading&)> AccessComparer(kube::ApiAccess in_use,
                                                   kube::AccessSource::Read read) {
  return [in_use = std::move(in_use), read = std::move(read)](ConfigReading& reading) {
    const kube::AccessReading again = read();
    reading.warnings.insert(reading.warnings.end(), again.faults.begin(), again.faults.end());
    if (!again.faults.empty()) return;
    for (const std::string& key : kube::NeedRestart(in_use, again.access)) {
      reading.need_restart.push_back(fmt::format("kubernetes.kubeconfig ({})", key));
    }
  };
}

}  // namespace

Result<OpenedCluster> OpenCluster(const AgentConfig& config, const SteadyClock& clock,
                                  const Log& log) {
  const kube::AccessSource::Read read = AccessReader(config.kubernetes);
  const auto reading = read();
  if (!reading.faults.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("the cluster cannot be asked: {}", DescribeAll(reading.faults)));
  }
  auto link = ClusterLink::Open({.access = reading.access,
                                 .node = config.node_name,
                                 .clock = std::make_shared<SteadyClock>(clock),
                                 .chance = Chance(),
                                 .pods_folder = config.root + "/cluster-pods",
                                 .read_access = read});
  if (!link) return Fail(link.error().In("the cluster cannot be asked"));
  (*link)->OnState([&clock, told = std::make_shared<ClusterStateLog>(log)](
                       const kube::PodWatchState& state) { told->Take(state, clock.Now()); });
  (*link)->OnNotKept([&log](const Error& why) {
    log.Warn(
        "the pods of the node cannot be kept on disk; an agent that starts while the API server is "
        "away does not know them",
        {{"err", why.message}});
  });
  log.Info("the agent reads the pods of this node from the API server",
           {{"server", reading.access.server},
            {"as", reading.access.origin},
            {"node", config.node_name}});
  return OpenedCluster{.link = std::move(*link),
                       .compare_access = AccessComparer(reading.access, read)};
}

}  // namespace jettison
