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
#include "view/snapshot.h"

namespace jettison {

// The configuration that holds, and the node as it is told of. It is read again beside the loop
// when that is asked for; a faulty one changes nothing.
class ConfigInForce {
 public:
  using Reread = std::function<ConfigReading()>;

  // `reread` empty: the configuration cannot be read again. `log` must outlive this.
  ConfigInForce(AgentConfig config, NodeIdentity node, Reread reread, const Log& log);

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

 private:
  [[nodiscard]] Taken Use(const ConfigReading& reading);
  void Tell(const ConfigChanges& changes) const;

  std::shared_ptr<const NodeIdentity> node_;
  Reread reread_;
  const Log& log_;
  // What reads files again may hang with them, so both are left behind then.
  std::shared_ptr<Mailbox<ConfigReading>> readings_ = std::make_shared<Mailbox<ConfigReading>>();
  std::optional<BackgroundThread> reader_;
};

}  // namespace jettison
