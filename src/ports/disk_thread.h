#pragma once

#include <functional>
#include <memory>
#include <string>

namespace jettison {

// Does work on files that a disk may hold up, beside the loop.
class DiskThread {
 public:
  using Work = std::function<void()>;

  virtual ~DiskThread() = default;

  // Does work on the agent's own files later on another thread, after all earlier work of this
  // kind, and returns at once. False, and nothing is done, if there is no such thread. The work
  // must own everything that it uses.
  [[nodiscard]] virtual bool Do(Work work) = 0;
  // The same for work that may take minutes, after all earlier work of this kind, beside all other.
  [[nodiscard]] virtual bool DoLong(Work /*work*/) { return false; }
  // The same for a call to a service that may not answer for seconds, after all earlier calls.
  [[nodiscard]] virtual bool DoCall(Work /*work*/) { return false; }
  // Whether work on a path of the host may hang, because it lies on a file system that may never
  // answer (NFS, FUSE). The check itself does not access the file system.
  [[nodiscard]] virtual bool MayHang(const std::string& /*path*/) const { return false; }
  // Does work on a path that may hang later on another thread, and returns at once. The work must
  // own everything that it uses, because it may never end. Work whose owner has released it before
  // it begins is not done.
  virtual void DoAt(const std::string& /*path*/, const std::shared_ptr<Work>& /*work*/) {}
};

}  // namespace jettison
