#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/ask/config_files.h"
#include "core/config/agent_config.h"
#include "core/text/enum_names.h"
#include "core/thresholds/threshold_settings.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "kernel/filesystem/filesystem.h"
#include "kernel/mounts/mount_info.h"
#include "runtimes/cri/runtime_facts.h"
#include "sources/kubernetes/credentials/api_access.h"

namespace CLI {
class App;
}

namespace jettison {

// `jettison doctor [--config FILE...] [--kubeconfig FILE [--node NAME]] [--output text|json]`: what
// this host, and a cluster, offer to the agent and what is missing, what that costs and how to get
// it. Exit status 0 everything needed is there, 1 something needed is missing, 2 wrong usage or
// invalid configuration.
void AddDoctor(CLI::App& app, int& exit_code);

enum class HostStatus : std::uint8_t {
  kOk,
  kDegraded,  // the agent works without it, less well
  kMissing,   // the agent cannot do its work without it
};
template <>
inline constexpr auto kNamesOf<HostStatus> = EnumNames("ok", "degraded", "missing");

// One thing that the agent wants from a host.
struct HostCheck {
  std::string check;  // what it is about
  HostStatus status = HostStatus::kOk;
  std::string found;   // what is there
  std::string cost;    // what its lack costs; empty where ok
  std::string remedy;  // how to get it; empty where ok
};

// A check that found what is wanted, and one that did not.
[[nodiscard]] HostCheck OkCheck(std::string check, std::string found);
[[nodiscard]] HostCheck Degraded(std::string check, std::string found, std::string cost,
                                 std::string remedy);
[[nodiscard]] HostCheck Missing(std::string check, std::string found, std::string cost,
                                std::string remedy);
// The same of what is wanted only to start pods: degraded where the agent starts none.
[[nodiscard]] HostCheck MissingToStartPods(const AgentConfig& config, HostCheck lack);
// What was found; `lack` with the reason where it was not.
[[nodiscard]] HostCheck CheckOf(Result<std::string> found, HostCheck lack);

// Whether nothing is missing.
[[nodiscard]] bool IsReady(const std::vector<HostCheck>& checks);

// A table for people: a line for each check, what it costs and how to mend it below those that are
// not ok, and a closing line with the verdict. Ends with a newline.
[[nodiscard]] std::string ChecksAsText(const std::vector<HostCheck>& checks);
// {"checks":[{"check","status","found","cost","remedy"}],"ready":BOOL}, ends with a newline.
[[nodiscard]] std::string ChecksAsJson(const std::vector<HostCheck>& checks);

// What the kernel offers and what the machine is like: privileges, controllers, the node's group,
// stall figures, memory, swap, process ids, the file system of the agent's root. Makes a group of
// its own, which is gone afterwards.
[[nodiscard]] std::vector<HostCheck> HostChecks(const AgentConfig& config);

// The kernel's release, and whether it has the calls that pods of the agent's own need.
[[nodiscard]] HostCheck KernelCheck(const AgentConfig& config, bool has_mount_calls);

// What runs the pods, and on which file systems. A container runtime is asked, beside a kubelet
// only where the agent is to remove images (`kubernetes.collectImages`); one that works answers
// within milliseconds, and each answer is waited for as long as `patience`.
[[nodiscard]] std::vector<HostCheck> RuntimeChecks(const AgentConfig& config,
                                                   Duration patience = std::chrono::seconds(3));

// The part of RuntimeChecks about a container runtime that has answered.
[[nodiscard]] std::vector<HostCheck> ContainerRuntimeChecks(const AgentConfig& config,
                                                            const cri::RuntimeFacts& facts);

// Which of the node's file systems are the same, by the folders of images and writable layers that
// a runtime reports. `images` empty: it reports none; `layers` empty: they are on the file system
// of the images.
[[nodiscard]] HostCheck DiskLayoutCheck(const AgentConfig& config, const std::string& images,
                                        const std::string& layers);
// Kind, space and inodes of the file system that a folder is on, or will be; `signals` is how its
// signals begin: "nodefs".
[[nodiscard]] HostCheck FilesystemCheck(std::string_view signals, const std::string& folder);
// Whether the kernel tells what changed on the file system of pods' files.
[[nodiscard]] HostCheck DiskChangesCheck(const std::string& root);

// Capacities of the whole machine, and of the file system of the pods' files; what cannot be read
// is absent.
[[nodiscard]] SignalCapacities CapacitiesOfThisHost(const AgentConfig& config);

// The nearest folder that is there: the root directory need not be before the agent first runs. To
// look what is there may wait for ever where somebody else has to answer.
[[nodiscard]] Place NearestExisting(const std::string& folder);
// A path on nodefs.
[[nodiscard]] const std::string& NodeFsOf(const AgentConfig& config);

// Which cluster `jettison doctor` asks, and about which node.
struct ClusterQuestion {
  std::string kubeconfig;     // empty: as the service account
  std::string node;           // empty: about none
  ConfigSources config = {};  // that the agent would run with
  kube::ServiceAccount account = kube::OwnServiceAccount();
};

// What a cluster allows the agent: whether its API server answers, in which version, whether the
// node is there, whether our thresholds lie above those of its kubelet, and each right that the
// agent needs. Asks for some seconds at most.
[[nodiscard]] std::vector<HostCheck> KubernetesChecks(const ClusterQuestion& question);

}  // namespace jettison
