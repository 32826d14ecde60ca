#pragma once

#include <functional>

namespace jettison {

// Does work on the agent's own files, which a slow disk may hold up.
class DiskThread {
 public:
  using Work = std::function<void()>;

  virtual ~DiskThread() = default;

  // Does the work later on another thread, after all earlier work, and returns at once. False, and
  // nothing is done, if there is no such thread. The work must own everything that it uses.
  [[nodiscard]] virtual bool Do(Work work) = 0;
};

}  // namespace jettison
