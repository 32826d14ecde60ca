#pragma once

#include <functional>
#include <memory>
#include <string>

namespace jettison {

// Work on paths of the host behind which there may be somebody else than this machine (NFS, FUSE),
// who may never answer.
class SlowPaths {
 public:
  using Work = std::function<void()>;

  virtual ~SlowPaths() = default;

  // Whether work on the path may wait for somebody else. Nobody is asked for that.
  [[nodiscard]] virtual bool MayHang(const std::string& path) const = 0;
  // Does the work beside the caller, some time; never waits. The work owns all that it uses, for it
  // may go on for ever; one that its owner has let go before it begins is not done.
  virtual void Do(const std::string& path, const std::shared_ptr<Work>& work) = 0;
};

}  // namespace jettison
