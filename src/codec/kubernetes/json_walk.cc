#include "codec/kubernetes/json_walk.h"

#include <fmt/format.h>

namespace jettison {

bool JsonWalk::Text(Element element, std::string& text) {
  std::string_view view;
  if (element.get(view) != simdjson::SUCCESS) {
    return element.is_null() || Refuse("must be a string");
  }
  text = view;
  return true;
}

bool JsonWalk::Time(Element element, std::optional<Instant>& time) {
  if (element.is_null()) return true;
  std::string_view text;
  if (element.get(text) != simdjson::SUCCESS) {
    return Refuse("must be a time such as 2026-01-01T00:00:00Z");
  }
  const Result<Instant> instant = ParseInstant(text);
  if (!instant) return Refuse(instant.error().message);
  time = *instant;
  return true;
}

bool JsonWalk::Share(Element element, std::optional<std::int32_t>& share) {
  constexpr double kMost = 100;
  if (element.is_null()) return true;
  double percent = 0;
  if (element.get(percent) != simdjson::SUCCESS || !(percent >= 0 && percent <= kMost)) {
    return Refuse("must be a number from 0 to 100");
  }
  share = static_cast<std::int32_t>(std::lround(percent * kMost));
  return true;
}

bool JsonWalk::Refuse(std::string_view rule) {
  rule_ = rule;
  return false;
}

bool JsonWalk::Prefix(std::string_view field) {
  path_.insert(0, fmt::format(".{}", field));
  return false;
}

bool JsonWalk::Prefix(std::size_t index) {
  path_.insert(0, fmt::format("[{}]", index));
  return false;
}

Error JsonWalk::TakeError(std::string_view whole) const {
  std::string_view path = path_;
  if (path.starts_with('.')) path.remove_prefix(1);
  return {ErrorCode::kInvalidArgument,
          path.empty() ? fmt::format("{} {}", whole, rule_) : fmt::format("{}: {}", path, rule_)};
}

}  // namespace jettison
