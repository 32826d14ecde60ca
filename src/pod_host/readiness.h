#pragma once

#include <sys/epoll.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "ports/file_descriptor.h"
#include "units/duration.h"
#include "units/result.h"

namespace jettison::pod_host {

// What the runtime waits for, behind one descriptor that is readable when any of it is due: shims
// that talk or end, timers, and the runtime's own wish to be called. It waits for nothing itself.
class Readiness {
 public:
  using Callback = std::function<void()>;

  // One thing that is watched, until this is destroyed. Must not outlive the Readiness.
  class Watch {
   public:
    Watch() = default;
    Watch(Watch&& other) noexcept { *this = std::move(other); }
    Watch& operator=(Watch&& other) noexcept;
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    ~Watch() { Stop(); }
    void Stop();
    [[nodiscard]] explicit operator bool() const { return owner_ != nullptr; }

   private:
    friend class Readiness;
    Readiness* owner_ = nullptr;
    std::uint64_t id_ = 0;
    int fd_ = -1;
    FileDescriptor timer_;
  };

  [[nodiscard]] static Result<std::unique_ptr<Readiness>> Create();

  // Calls back from Dispatch for as long as `fd` is readable or hung up.
  [[nodiscard]] Watch OnReadable(int fd, Callback callback);
  // Calls back once from a Dispatch after `delay` (zero or less: the next one).
  [[nodiscard]] Watch After(Duration delay, Callback callback);
  // Makes fd() readable until the next Dispatch.
  void Wake();

  // Handles everything that is due now, each once.
  void Dispatch();
  [[nodiscard]] int fd() const { return epoll_.get(); }

 private:
  Readiness() = default;

  FileDescriptor epoll_;
  FileDescriptor wake_;
  std::uint64_t next_id_ = 1;
  std::map<std::uint64_t, std::shared_ptr<Callback>> callbacks_;
  std::vector<epoll_event> ready_;  // of one Dispatch; kept for its memory
};

}  // namespace jettison::pod_host
