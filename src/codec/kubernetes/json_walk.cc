#include "codec/kubernetes/json_walk.h"

#include <fmt/format.h>

#include <cmath>

namespace jettison {

bool JsonWalk::Fail(std::string_view rule) {
  rule_ = rule;
  return false;
}

bool JsonWalk::In(std::string_view field, bool ok) {
  if (!ok) path_.insert(0, fmt::format(".{}", field));
  return ok;
}

bool JsonWalk::InItem(std::size_t index, bool ok) {
  if (!ok) path_.insert(0, fmt::format("[{}]", index));
  return ok;
}

Error JsonWalk::TakeError(std::string_view whole) const {
  std::string_view path = path_;
  if (path.starts_with('.')) path.remove_prefix(1);
  return {ErrorCode::kInvalidArgument,
          path.empty() ? fmt::format("{} {}", whole, rule_) : fmt::format("{}: {}", path, rule_)};
}

bool JsonWalk::Text(Element element, std::string& text) {
  std::string_view view;
  if (element.get(view) == simdjson::SUCCESS) {
    text.assign(view);
    return true;
  }
  text.clear();
  return element.is_null() || Fail("must be a string");
}

bool JsonWalk::Time(Element element, std::optional<Instant>& time) {
  if (element.is_null()) return true;
  std::string_view text;
  if (element.get(text) != simdjson::SUCCESS)
    return Fail("must be a time such as 2026-01-01T00:00:00Z");
  const Result<Instant> instant = ParseInstant(text);
  if (!instant) return Fail(instant.error().message);
  time = *instant;
  return true;
}

bool JsonWalk::Share(Element element, std::optional<std::int32_t>& share) {
  constexpr double kMost = 100;
  if (element.is_null()) return true;
  double percent = 0;
  if (element.get(percent) != simdjson::SUCCESS || !(percent >= 0 && percent <= kMost)) {
    return Fail("must be a number from 0 to 100");
  }
  share = static_cast<std::int32_t>(std::lround(percent * kMost));
  return true;
}

}  // namespace jettison
