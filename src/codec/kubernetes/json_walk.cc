#include "codec/kubernetes/json_walk.h"

#include <fmt/format.h>

namespace jettison {

bool WalkFault::Fail(std::string_view rule) {
  rule_ = rule;
  return false;
}

bool WalkFault::Prefix(std::string_view field) {
  path_.insert(0, fmt::format(".{}", field));
  return false;
}

bool WalkFault::Prefix(std::size_t index) {
  path_.insert(0, fmt::format("[{}]", index));
  return false;
}

Error WalkFault::TakeError(std::string_view whole) const {
  std::string_view path = path_;
  if (path.starts_with('.')) path.remove_prefix(1);
  return {ErrorCode::kInvalidArgument,
          path.empty() ? fmt::format("{} {}", whole, rule_) : fmt::format("{}: {}", path, rule_)};
}

}  // namespace jettison
