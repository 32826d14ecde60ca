#pragma once

#include <functional>
#include <vector>

#include "agent/dependencies/dependencies.h"
#include "core/units/result.h"
#include "kernel/memcg_events/memcg_threshold.h"
#include "machine/loop/job_queue.h"
#include "machine/loop/mailbox.h"
#include "ports/file_descriptor.h"

namespace jettison {

// Registers memory levels with the kernel beside the loop: each takes 8 to 56 ms. The levels
// registered before stay in force until the new ones are.
class ArmingThread : public MemoryNotifier {
 public:
  // Opens the directory of the group that a signal watches; called beside the loop.
  using OpenGroup = std::function<Result<FileDescriptor>(Signal)>;
  struct Armed {
    std::vector<MemcgThreshold> levels;
    std::vector<Error> errors;  // of those that could not be registered
  };

  explicit ArmingThread(OpenGroup open_group) : open_group_(std::move(open_group)) {}

  void Arm(std::vector<MemoryLevel> levels) override;
  // Readable when levels have been registered.
  [[nodiscard]] int fd() const { return results_.fd(); }
  [[nodiscard]] std::vector<Armed> TakeResults() { return results_.TakeAll(); }

 private:
  OpenGroup open_group_;
  Mailbox<Armed> results_;
  // The last member: it ends first.
  JobQueue jobs_{Threads::kEnding};
};

}  // namespace jettison
