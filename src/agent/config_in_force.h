#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/agent_config.h"
#include "core/config/read_config.h"
#include "core/model/fault.h"
#include "core/model/threshold.h"
#include "core/observe/observations.h"
#include "core/pods/admission.h"
#include "core/thresholds/kubelet_order.h"
#include "core/units/duration.h"
#include "machine/log/log.h"
#include "machine/loop/job_queue.h"
#include "ports/mailbox.h"
#include "view/snapshot.h"

namespace jettison {

// Node allocatable: what the pods' requests may sum up to. A resource whose capacity is not known
// is not limited.
[[nodiscard]] SharedAmounts SharedAmong(const AgentConfig& config, const ResourceList& capacity);

// How the configuration is read again. The functions are called on a thread that may outlive the
// agent: they must own what they use.
struct ConfigReaders {
  // On SIGHUP; empty: the configuration cannot be read again.
  std::function<ConfigReading()> again;
  // Reads the kubelet's configuration again; absent: it has not changed. Called every
  // `kubelet_every`; zero: never.
  std::function<std::optional<ConfigReading>()> kubelet = {};
  Duration kubelet_every{0};
  // The kubelet's thresholds, if they are known.
  std::optional<std::vector<Threshold>> kubelet_thresholds = {};
  // The cgroup driver that the configuration names, which stands for the one in use.
  std::optional<CgroupDriver> named_driver = {};
  // The caller asked for a dry run, whatever is read: decide and report, but neither evict nor
  // reclaim.
  bool dry_run = false;
};

// The configuration in effect, and the identity of the node. On request, it is read again on
// another thread; a faulty configuration changes nothing.
class ConfigInForce {
 public:
  // `log` must outlive this.
  ConfigInForce(AgentConfig config, NodeIdentity node, ConfigReaders readers, const Log& log);

  [[nodiscard]] const AgentConfig& config() const { return node_->config; }
  [[nodiscard]] std::shared_ptr<const NodeIdentity> node() const { return node_; }

  // Starts to read the configuration again; false if it cannot be read again.
  bool Ask();
  // Readable when it has been read.
  [[nodiscard]] int fd() const { return readings_->fd(); }
  // Takes the last configuration that was read without faults, and returns what has changed. The
  // faults of each one that was read are logged. Absent: none was read.
  struct Taken {
    std::vector<std::string> changed;  // settings, as in ConfigChanges::at_once
    bool faulty = false;               // nothing takes effect: each one had faults
    // Whether a setting has changed whose name begins with `prefix`.
    [[nodiscard]] bool Has(std::string_view prefix) const;
  };
  [[nodiscard]] std::optional<Taken> Take();

  // Looks at the kubelet's configuration when that is due.
  void Advance(Instant now);
  [[nodiscard]] std::optional<Instant> NextDeadline() const { return next_look_; }
  // Takes the capacities of the signals, once for each amount of memory, and logs which thresholds
  // do not lie above the kubelet's, or are always met, by them. Must not be called before the
  // layout of the file systems is known.
  void Learn(const Observations& seen);
  // The layout of the file systems is another one: Learn learns anew.
  void ForgetCapacities() { capacities_.reset(); }
  // Takes the memory of the node, in bytes; returns whether it was another before.
  bool TakeMemory(std::uint64_t bytes);

 private:
  // `reading` has no faults.
  [[nodiscard]] Taken Use(const ConfigReading& reading);
  void Report(const ConfigChanges& changes) const;
  void LogOrder(const Faults& faults) const;
  void LogCapacities() const;
  void Hold(NodeIdentity node);

  std::shared_ptr<const NodeIdentity> node_;
  ConfigReaders readers_;
  const Log& log_;
  std::optional<SignalCapacities> capacities_;
  std::optional<Instant> next_look_;
  bool asked_ = false;  // and not yet read
  // Shared with the reading thread, which is left behind if it hangs.
  std::shared_ptr<Mailbox<ConfigReading>> readings_ = std::make_shared<Mailbox<ConfigReading>>();
  std::optional<JobQueue> reader_;
};

}  // namespace jettison
