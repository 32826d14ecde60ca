#include "kernel/groups/group_tree.h"

#include <utility>
#include <vector>

#include "kernel/groups/group_files.h"
#include "ports/file_descriptor.h"

namespace jettison::kernel {
namespace {

// The way from the top down to the group that is being visited.
class Descent {
 public:
  explicit Descent(int top) : top_(top) { levels_.emplace_back(); }

  [[nodiscard]] bool AtTop() const { return levels_.size() == 1; }
  [[nodiscard]] int fd() const { return AtTop() ? top_ : levels_.back().fd.get(); }
  void SetPending(std::vector<std::string> names) { levels_.back().pending = std::move(names); }
  // The next unvisited group below the present one; empty: there is none.
  [[nodiscard]] std::string TakePending() {
    auto& pending = levels_.back().pending;
    if (pending.empty()) return {};
    std::string name = std::move(pending.back());
    pending.pop_back();
    return name;
  }
  void Enter(FileDescriptor group, std::string name) {
    levels_.push_back({.fd = std::move(group), .name = std::move(name)});
    if (levels_.size() > kOpenGroups) levels_[levels_.size() - kOpenGroups].fd.Close();
  }

  struct Left {
    FileDescriptor fd;
    std::string name;
    bool parent_is_open = true;  // false: it has vanished, with everything below it
  };
  // Returns to the group above, or to the nearest open one if that has vanished.
  [[nodiscard]] Result<Left> Leave() {
    Left left{.fd = std::move(levels_.back().fd), .name = std::move(levels_.back().name)};
    levels_.pop_back();
    if (AtTop() || levels_.back().fd) return left;
    auto above = OpenGroup(left.fd.get(), "..");
    if (above) {
      levels_.back().fd = std::move(*above);
      return left;
    }
    if (above.error().code != ErrorCode::kNotFound) return Fail(above.error());
    left.parent_is_open = false;
    while (!AtTop() && !levels_.back().fd) levels_.pop_back();
    return left;
  }

 private:
  struct Level {
    FileDescriptor fd;  // empty: closed to save descriptors, or the top's
    std::string name;
    std::vector<std::string> pending;
  };
  int top_;
  std::vector<Level> levels_;
};

Result<void> Look(int group, const GroupVisit& visit, Descent& descent) {
  if (visit.enter) {
    if (auto ok = visit.enter(group); !ok) return ok;
  }
  auto below = Subgroups(group);
  if (!below && below.error().code != ErrorCode::kNotFound) return Fail(below.error());
  if (below) descent.SetPending(std::move(*below));
  return {};
}

}  // namespace

Result<void> VisitGroups(int top, const GroupVisit& visit) {
  Descent descent(top);
  if (auto ok = Look(top, visit, descent); !ok) return ok;
  for (;;) {
    if (std::string name = descent.TakePending(); !name.empty()) {
      auto group = OpenGroup(descent.fd(), name);
      if (!group && group.error().code == ErrorCode::kNotFound) continue;
      if (!group) return Fail(group.error());
      descent.Enter(std::move(*group), std::move(name));
      if (auto ok = Look(descent.fd(), visit, descent); !ok) return ok;
      continue;
    }
    if (descent.AtTop()) return {};
    const auto left = descent.Leave();
    if (!left) return Fail(left.error());
    if (!visit.leave || !left->parent_is_open) continue;
    if (auto ok = visit.leave(descent.fd(), left->name, left->fd.get()); !ok) return ok;
  }
}

}  // namespace jettison::kernel
