#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pods/child_job.h"

namespace jettison {

// What is to be deleted.
struct RemovalOrder {
  // Optional: a folder of a pod, as it is called now. Its volumes in memory are emptied first.
  std::string pod;
  std::vector<std::string> trees;  // in this order
};

// Deletes it in this process and waits; 0 or the errno of the first failure.
[[nodiscard]] int DeleteNow(const RemovalOrder& order);

// Deletes trees of files in a child, however many they are. Fails where there can be none; the
// first failure of the deletion is told when everything has been tried.
[[nodiscard]] Result<std::unique_ptr<ChildJob>> StartRemoval(kernel::Readiness& readiness,
                                                             const RemovalOrder& order,
                                                             ChildJob::Done done);

}  // namespace jettison
