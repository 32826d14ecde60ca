#include "runtimes/cri/host/removal_job.h"

#include <utility>

#include "runtimes/cri/host/tree_removal.h"

namespace jettison::cri {
namespace {

int Delete(const RemovalOrder& order) {
  int error = order.volumes.empty() ? 0 : EmptyMemoryVolumes(order.volumes.c_str());
  for (const std::string& tree : order.trees) {
    const int failed = RemoveTree(tree.c_str());
    if (error == 0) error = failed;
  }
  return error;
}

}  // namespace

Result<std::unique_ptr<ChildJob>> StartRemoval(kernel::Readiness& readiness,
                                               const RemovalOrder& order, ChildJob::Done done) {
  return ChildJob::Start(
      readiness, "delete files", [&order] { return Delete(order); }, std::move(done));
}

}  // namespace jettison::cri
