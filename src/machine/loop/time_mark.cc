#include "machine/loop/time_mark.h"

#include <string>

namespace jettison {
namespace {

Result<std::string> TextUnder(std::string_view key, const Value& value) {
  const Value* member = value.Find(key);
  if (member == nullptr || member->AsString() == nullptr) {
    return Fail(ErrorCode::kInvalidArgument, "there is no text `" + std::string(key) + "`");
  }
  return *member->AsString();
}

}  // namespace

void WriteTimeMark(const TimeMark& mark, JsonWriter& json) {
  json.Object([&] {
    json.Field("at", FormatWallTime(mark.wall));
    json.Field("bootID", mark.boot_id);
    json.Field("sinceBoot", FormatDuration(mark.since_boot));
  });
}

Result<TimeMark> TimeMarkIn(const Value& value) {
  const auto at = TextUnder("at", value).and_then(&ParseWallTime);
  if (!at) return Fail(at.error());
  auto boot_id = TextUnder("bootID", value);
  if (!boot_id) return Fail(boot_id.error());
  const auto since_boot = TextUnder("sinceBoot", value).and_then(&ParseDuration);
  if (!since_boot) return Fail(since_boot.error());
  return TimeMark{.boot_id = *std::move(boot_id), .since_boot = *since_boot, .wall = *at};
}

}  // namespace jettison
