#include "pods/removal_job.h"

#include <utility>

#include "pods/tree_removal.h"

namespace jettison {
namespace {

// The paths are made by the parent: the child allocates nothing.
struct Deletion {
  explicit Deletion(const RemovalOrder& order)
      : sub_paths(order.pod.empty() ? "" : order.pod + "/sub-paths"),
        volumes(order.pod.empty() ? "" : order.pod + "/volumes"),
        trees(order.trees) {}

  // A part of a volume that a container used is another mount of the volume's file system, and only
  // what is mounted once is emptied.
  [[nodiscard]] int Run() const {
    int error = 0;
    const auto note = [&](int failed) {
      if (error == 0) error = failed;
    };
    if (!sub_paths.empty()) note(RemoveTree(sub_paths.c_str()));
    if (!volumes.empty()) note(EmptyMemoryVolumes(volumes.c_str()));
    for (const std::string& tree : trees) note(RemoveTree(tree.c_str()));
    return error;
  }

  std::string sub_paths;
  std::string volumes;
  const std::vector<std::string>& trees;
};

}  // namespace

int DeleteNow(const RemovalOrder& order) {
  return Deletion(order).Run();
}

Result<std::unique_ptr<ChildJob>> StartRemoval(kernel::Readiness& readiness,
                                               const RemovalOrder& order, ChildJob::Done done) {
  const Deletion removal(order);
  return ChildJob::Start(
      readiness, "delete files", [&removal] { return removal.Run(); }, std::move(done));
}

}  // namespace jettison
