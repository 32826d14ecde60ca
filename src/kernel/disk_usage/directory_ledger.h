#pragma once

#include <cstdint>

#include "kernel/disk_usage/directory_sum.h"

namespace jettison::disk_usage {

// Identifies a directory of a walk. The ledger chooses the value; 0 stands for no directory.
using DirectoryKey = std::uint64_t;

// Receives what a walk finds in each directory.
class DirectoryLedger {
 public:
  virtual ~DirectoryLedger() = default;
  // Called when the walk has opened a directory. `parent` is the key of its parent, which was
  // entered before; 0 for the top of the tree. Returns the key of the directory.
  [[nodiscard]] virtual DirectoryKey Enter(DirectoryKey parent, int directory) = 0;
  // Adds a part of what the directory holds: the directory itself, or some of its entries. The walk
  // handles `subdirectories` and errors itself.
  virtual void Add(DirectoryKey directory, const DirectorySum& part) = 0;
};

}  // namespace jettison::disk_usage
