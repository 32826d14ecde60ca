#include "cli/simulate/one_node.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

namespace jettison {

Result<std::optional<RecordedItem>> OneNode::Next() {
  for (;;) {
    auto item = source_.Next();
    if (!item || !*item) return item;
    const auto* about = std::get_if<RecordingAbout>(&**item);
    if (about != nullptr) is_ours_ = IsOurs(*about);
    if (is_ours_) return item;
    if (about == nullptr || !strangers_.insert(about->node).second) continue;
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("from {} on, this is the recording of another node, {}, and is left out",
                    FormatInstant(about->at), about->node));
  }
}

bool OneNode::IsOurs(const RecordingAbout& about) {
  if (node_.empty()) node_ = about.node;
  return about.node.empty() || about.node == node_;
}

}  // namespace jettison
