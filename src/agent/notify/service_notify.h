#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <optional>
#include <string_view>

#include "core/units/duration.h"
#include "ports/file_descriptor.h"

namespace jettison {

// Reports the agent's state to the service manager, as sd_notify(3) does, but over a socket that
// stays open, and without waiting for a manager that does not read: a shortage of descriptors must
// not end the agent, nor a busy manager hold up the loop. Without a service manager (NOTIFY_SOCKET
// unset), nothing is sent.
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

  std::optional<Duration> alive_every_;
  FileDescriptor socket_;
  sockaddr_un address_{};
  socklen_t size_ = 0;
};

}  // namespace jettison
