#include "agent/notify/service_notify.h"

#include <systemd/sd-daemon.h>

#include <chrono>
#include <cstdint>
#include <ctime>

namespace jettison {

ServiceNotify::ServiceNotify() {
  std::uint64_t us = 0;
  if (::sd_watchdog_enabled(0, &us) > 0) alive_every_ = std::chrono::microseconds(us / 2);
}

void ServiceNotify::Ready() const {
  ::sd_notify(0, "READY=1");
}

void ServiceNotify::Reloading() const {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const auto us = std::uint64_t{1'000'000} * static_cast<std::uint64_t>(now.tv_sec) +
                  static_cast<std::uint64_t>(now.tv_nsec) / 1000;
  ::sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%llu", static_cast<unsigned long long>(us));
}

void ServiceNotify::Stopping() const {
  ::sd_notify(0, "STOPPING=1");
}

void ServiceNotify::Alive() const {
  ::sd_notify(0, "WATCHDOG=1");
}

}  // namespace jettison
