#pragma once

#include <optional>
#include <string_view>

#include "core/units/duration.h"
#include "ports/file_descriptor.h"

namespace jettison {

// What tells the service manager how the agent stands. Its socket is there from the beginning, so
// that signs of life are given without a descriptor to spare, and nothing waits for a service
// manager that does not listen. Without one (NOTIFY_SOCKET unset) nothing happens.
class ServiceNotify {
 public:
  ServiceNotify();

  void Ready() const { Tell("READY=1"); }
  // The configuration is being read again; Ready says that it is done.
  void Reloading() const;
  void Stopping() const { Tell("STOPPING=1"); }
  void Alive() const { Tell("WATCHDOG=1"); }
  // How often it wants a sign of life (WATCHDOG_USEC), halved; absent: never.
  [[nodiscard]] std::optional<Duration> alive_every() const { return alive_every_; }

 private:
  void Tell(std::string_view state) const;

  FileDescriptor socket_;
  std::optional<Duration> alive_every_;
};

}  // namespace jettison
