#include "kernel/disk_usage/tree_tally.h"

namespace jettison::disk_usage {

void TreeTally::Add(DirectoryKey /*directory*/, const DirectorySum& part) {
  bytes_ += part.bytes;
  inodes_ += part.inodes;
  for (const LinkedFile& file : part.linked) {
    if (linked_.contains(file.id)) continue;
    if (linked_.size() >= most_linked_) {
      shares_.Add(file);
      continue;
    }
    linked_.insert(file.id);
    bytes_ += file.bytes;
    ++inodes_;
  }
}

}  // namespace jettison::disk_usage
