#pragma once

#include <functional>
#include <memory>
#include <string>

namespace jettison {

// Runs work on paths of the host which may lie on a file system that never answers (NFS, FUSE).
class SlowPaths {
 public:
  using Work = std::function<void()>;

  virtual ~SlowPaths() = default;

  // Whether work on the path may hang. The check itself does not access the file system.
  [[nodiscard]] virtual bool MayHang(const std::string& path) const = 0;
  // Runs the work later on another thread and returns at once. The work must own everything that it
  // uses, because it may never end. Work whose owner has released it before it begins is not run.
  virtual void Do(const std::string& path, const std::shared_ptr<Work>& work) = 0;
};

}  // namespace jettison
