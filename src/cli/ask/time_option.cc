#include "cli/ask/time_option.h"

#include <fmt/format.h>

#include "core/units/duration.h"

namespace jettison {

Result<Instant> TimeNamed(std::string_view option, const std::string& text, Instant now) {
  if (text == "now") return now;
  if (const auto at = ParseInstant(text)) return *at;
  if (const auto day = ParseInstant(text + "T00:00:00Z")) return *day;
  const auto ago = ParseDuration(text);
  if (ago && *ago >= Duration{0}) return now - *ago;
  std::string_view why =
      "must be a time such as 2026-01-31T12:00:00Z, a day such as 2026-01-31, a duration before "
      "now such as 2h, or now";
  why = WhyNoInstant(text, WhyNoInstant(text + "T00:00:00Z", WhyNoDuration(text, why)));
  return Fail(ErrorCode::kInvalidArgument, fmt::format("{}: {}: {}", option, text, why));
}

}  // namespace jettison
