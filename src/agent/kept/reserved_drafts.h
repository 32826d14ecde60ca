#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/units/result.h"

namespace jettison {

// Space on a disk for files that are to be written when it is full: drafts, each filled with blanks
// in advance, which become the files. A file that is overwritten in place needs no further block on
// ext4, xfs and tmpfs, nor an inode; where a file system writes every block anew (btrfs) it may.
class ReservedDrafts {
 public:
  // `folder` is on the file system of what is to be written, and holds nothing else.
  ReservedDrafts(std::string folder, std::size_t count, std::size_t bytes)
      : folder_(std::move(folder)), count_(count), bytes_(bytes) {}

  // Makes the drafts that are missing, or as much of them as there is room for.
  [[nodiscard]] Result<void> Refill() const;
  // Puts a file in place at once: in fresh space, or in a draft where there is none. Text that is
  // longer than a draft needs space for the rest.
  [[nodiscard]] Result<void> Put(const std::string& path, std::string_view text) const;

 private:
  [[nodiscard]] std::string PathOf(std::size_t draft) const;
  [[nodiscard]] Result<void> Fill(std::size_t draft) const;

  std::string folder_;
  std::size_t count_;
  std::size_t bytes_;
};

}  // namespace jettison
