#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/units/result.h"

namespace jettison {

// Reserves disk space for files that must be written even on a full disk: drafts, filled with
// blanks in advance, which are overwritten and renamed to the files. On ext4, xfs and tmpfs this
// needs no further block and no inode. On a copy-on-write file system (btrfs) it may need blocks.
class ReservedDrafts {
 public:
  // `folder` is on the file system of what is to be written, and holds nothing else.
  ReservedDrafts(std::string folder, std::size_t count, std::size_t bytes)
      : folder_(std::move(folder)), count_(count), bytes_(bytes) {}

  // Makes the drafts that are missing, or as much of them as there is room for.
  [[nodiscard]] Result<void> Refill() const;
  // Writes a file atomically: into new space, or into a draft if there is none. Text that is longer
  // than a draft needs space for the rest.
  [[nodiscard]] Result<void> Put(const std::string& path, std::string_view text) const;

 private:
  [[nodiscard]] std::string PathOf(std::size_t draft) const;
  [[nodiscard]] Result<void> Fill(std::size_t draft) const;

  std::string folder_;
  std::size_t count_;
  std::size_t bytes_;
};

}  // namespace jettison
