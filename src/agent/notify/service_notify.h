#pragma once

#include <optional>
#include <string_view>

#include "core/units/duration.h"
#include "ports/file_descriptor.h"

namespace jettison {

// Reports the agent's state to the service manager. The socket is opened at the beginning, so that
// signs of life need no new descriptor. Sending never blocks. Without a service manager
// (NOTIFY_SOCKET unset), nothing is sent.
class ServiceNotify {
 public:
  ServiceNotify();

  void Ready() const { Report("READY=1"); }
  // The configuration is being read again; Ready says that it is done.
  void Reloading() const;
  void Stopping() const { Report("STOPPING=1"); }
  void Alive() const { Report("WATCHDOG=1"); }
  // How often it wants a sign of life (WATCHDOG_USEC), halved; absent: never.
  [[nodiscard]] std::optional<Duration> alive_every() const { return alive_every_; }

 private:
  void Report(std::string_view state) const;

  FileDescriptor socket_;
  std::optional<Duration> alive_every_;
};

}  // namespace jettison
