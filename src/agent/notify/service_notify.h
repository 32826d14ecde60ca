#pragma once

#include <optional>

#include "core/units/duration.h"

namespace jettison {

// Reports the agent's state to the service manager, as sd_notify(3) does. Without a service manager
// (NOTIFY_SOCKET unset), nothing is sent.
class ServiceNotify {
 public:
  ServiceNotify();

  void Ready() const;
  // The configuration is being read again; Ready says that it is done.
  void Reloading() const;
  void Stopping() const;
  void Alive() const;
  // How often it wants a sign of life (WATCHDOG_USEC), halved; absent: never.
  [[nodiscard]] std::optional<Duration> alive_every() const { return alive_every_; }

 private:
  std::optional<Duration> alive_every_;
};

}  // namespace jettison
