#pragma once

#include <cstdint>

#include "kernel/disk_usage/directory_sum.h"

namespace jettison::disk_usage {

// Names a directory of a walk, as the ledger chose; 0: none.
using DirectoryKey = std::uint64_t;

// Learns from a walk what each directory holds. Called by every thread that is at the walk.
class DirectoryLedger {
 public:
  virtual ~DirectoryLedger() = default;
  // The walk has opened a directory, whose parent in the tree was entered before (0: the top). What
  // it answers names the directory from now on.
  [[nodiscard]] virtual DirectoryKey Enter(DirectoryKey parent, int directory) = 0;
  // A part of what the directory holds: itself, or some of its entries. `subdirectories` and errors
  // are the walk's business.
  virtual void Add(DirectoryKey directory, const DirectorySum& part) = 0;
};

}  // namespace jettison::disk_usage
