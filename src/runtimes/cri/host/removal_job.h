#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtimes/cri/host/child_job.h"

namespace jettison::cri {

// What is to be deleted.
struct RemovalOrder {
  std::string volumes;             // a folder of volumes: those in memory are emptied
  std::vector<std::string> trees;  // in this order
};

// Deletes trees of files in a child, however many they are. Fails where there can be none; the
// first failure of the deletion is told when everything has been tried.
[[nodiscard]] Result<std::unique_ptr<ChildJob>> StartRemoval(kernel::Readiness& readiness,
                                                             const RemovalOrder& order,
                                                             ChildJob::Done done);

}  // namespace jettison::cri
