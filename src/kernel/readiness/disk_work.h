#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>

#include "core/units/result.h"
#include "kernel/readiness/readiness.h"
#include "ports/disk_thread.h"

namespace jettison::kernel {

// Work on the agent's own files that the loop must not wait for, because a disk may take seconds to
// make a folder or to rename a file: its journal may be full, or too much may wait to be written.
// The work is done in the order in which it is given. Where there is no thread for it, the caller
// does it at once.
class DiskWork {
 public:
  // Must own everything that it uses, because it runs on another thread.
  using Work = std::function<Result<void>()>;
  using Done = std::function<void(const Result<void>&)>;

  // `thread` may be null. `readiness` must outlive this.
  DiskWork(Readiness& readiness, std::shared_ptr<DiskThread> thread);
  DiskWork(const DiskWork&) = delete;
  DiskWork& operator=(const DiskWork&) = delete;
  // Work that is not done yet is still done; its `done` is not called.
  ~DiskWork();

  // `done`, which may be null, is called from Dispatch, or before Do returns where the caller did
  // the work.
  void Do(const Work& work, Done done = nullptr);

 private:
  struct Shared;
  void Deliver();

  std::shared_ptr<DiskThread> thread_;
  std::shared_ptr<Shared> shared_;  // with the thread
  std::unordered_map<std::uint64_t, Done> waiting_;
  std::uint64_t next_ = 0;
  Readiness::Watch on_done_;
};

}  // namespace jettison::kernel
