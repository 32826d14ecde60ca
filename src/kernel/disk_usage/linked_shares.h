#pragma once

#include <cmath>
#include <cstdint>

#include "kernel/disk_usage/directory_sum.h"

namespace jettison::disk_usage {

// Files with several names which are not told apart. Each name counts as its share of the file, so
// a file counts once if all its names are in the tree, and in part otherwise. Takes no memory for
// each file.
class LinkedShares {
 public:
  // Adds one name; `links` of the file is not 0.
  void Add(const LinkedFile& file) {
    bytes_ += static_cast<double>(file.bytes) / file.links;
    inodes_ += 1.0 / file.links;
  }
  [[nodiscard]] std::uint64_t bytes() const { return Whole(bytes_); }
  [[nodiscard]] std::uint64_t inodes() const { return Whole(inodes_); }

 private:
  [[nodiscard]] static std::uint64_t Whole(double sum) {
    return static_cast<std::uint64_t>(std::llround(sum));
  }

  double bytes_ = 0;
  double inodes_ = 0;
};

}  // namespace jettison::disk_usage
