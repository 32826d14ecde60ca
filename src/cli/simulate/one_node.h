#pragma once

#include <set>
#include <string>

#include "core/recording/recording.h"

namespace jettison {

// What a recording has of one node. Items of another node, because recordings of several were put
// together, are left out; where they begin is a fault, once for each other node.
class OneNode final : public RecordingSource {
 public:
  // `source` must outlive this. Without a `node` it is the first one that the recording names.
  explicit OneNode(RecordingSource& source, std::string node = "")
      : source_(source), node_(std::move(node)) {}

  [[nodiscard]] Result<std::optional<RecordedItem>> Next() override;

 private:
  // Takes who the following items are of; false: another node.
  [[nodiscard]] bool IsOurs(const RecordingAbout& about);

  RecordingSource& source_;
  std::string node_;  // empty: not named yet
  bool is_ours_ = true;
  std::set<std::string> strangers_;  // that were told
};

}  // namespace jettison
