#pragma once

#include <cstdint>
#include <vector>

#include "core/units/result.h"
#include "ports/file_descriptor.h"

namespace jettison::http {

// An epoll: which descriptors there is something to do for. Watch may be called on every thread.
class Poller {
 public:
  [[nodiscard]] static Result<Poller> Create();

  // `events`: of epoll_ctl(2).
  [[nodiscard]] Result<void> Watch(int descriptor, std::uint32_t events);
  void Change(int descriptor, std::uint32_t events);
  void Forget(int descriptor);
  // Waits at most that long (-1: without an end) for some descriptors that are ready.
  [[nodiscard]] std::vector<int> Wait(int milliseconds);

 private:
  explicit Poller(FileDescriptor epoll) : epoll_(std::move(epoll)) {}
  FileDescriptor epoll_;
};

}  // namespace jettison::http
