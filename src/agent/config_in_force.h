#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "agent/log/log.h"
#include "agent/loop/background_thread.h"
#include "agent/loop/mailbox.h"
#include "core/config/config_changes.h"
#include "core/config/read_config.h"
#include "core/model/fault.h"
#include "core/model/threshold.h"
#include "core/observe/observations.h"
#include "core/thresholds/thresholds_beside_kubelet.h"
#include "core/units/duration.h"
#include "view/snapshot.h"

namespace jettison {

// The configuration that holds, and the node as it is told of. It is read again beside the loop
// when that is asked for; a faulty one changes nothing.
class ConfigInForce {
 public:
  struct Readers {
    // Empty: the configuration cannot be read again.
    std::function<ConfigReading()> again;
    // Looks whether the kubelet's has changed; absent: it has not. So often; zero: never.
    std::function<std::optional<ConfigReading>()> kubelet = {};
    Duration kubelet_every{0};
    // What the kubelet evicts by, where it is known.
    std::optional<std::vector<Threshold>> kubelet_thresholds = {};
  };

  // `log` must outlive this.
  ConfigInForce(AgentConfig config, NodeIdentity node, Readers readers, const Log& log);

  [[nodiscard]] const AgentConfig& config() const { return node_->config; }
  [[nodiscard]] std::shared_ptr<const NodeIdentity> node() const { return node_; }

  // Asks for it to be read; false where it cannot be.
  bool Ask();
  // Readable when it has been read.
  [[nodiscard]] int fd() const { return readings_->fd(); }
  // Takes it in and tells what has changed. Absent: nothing was read.
  struct Taken {
    std::vector<std::string_view> changed;  // settings, as in ConfigChanges::at_once
    bool faulty = false;                    // nothing holds of it
    // Whether a setting has changed that begins so.
    [[nodiscard]] bool Has(std::string_view prefix) const;
  };
  [[nodiscard]] std::optional<Taken> Take();

  // Looks at the kubelet's configuration when that is due.
  void Advance(Instant now);
  [[nodiscard]] std::optional<Instant> NextDeadline() const { return next_look_; }
  // Takes in how much there is of everything, which decides whether thresholds of ours lie above
  // the kubelet's. Absent: nothing changes by it.
  [[nodiscard]] std::optional<Taken> Learn(const Observations& seen);

 private:
  [[nodiscard]] Taken Use(const ConfigReading& reading);
  void Tell(const ConfigChanges& changes) const;
  void TellOfOrder(const Faults& faults) const;

  void Hold(AgentConfig config);

  std::shared_ptr<const NodeIdentity> node_;
  Readers readers_;
  const Log& log_;
  ThresholdsBesideKubelet thresholds_;
  std::optional<Instant> next_look_;
  bool asked_ = false;  // and not yet read
  // What reads files again may hang with them, so both are left behind then.
  std::shared_ptr<Mailbox<ConfigReading>> readings_ = std::make_shared<Mailbox<ConfigReading>>();
  std::optional<BackgroundThread> reader_;
};

}  // namespace jettison
