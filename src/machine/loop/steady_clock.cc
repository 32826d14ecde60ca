#include "machine/loop/steady_clock.h"

#include <string>

#include "kernel/files/files.h"

namespace jettison {
namespace {

// Empty if it cannot be read: then no mark of another run counts as one of this boot.
std::string BootId() {
  std::string id = kernel::ReadFile("/proc/sys/kernel/random/boot_id").value_or("");
  while (id.ends_with('\n')) id.pop_back();
  return id;
}

Result<std::string> TextUnder(std::string_view key, const Value& value) {
  const Value* member = value.Find(key);
  if (member == nullptr || member->AsString() == nullptr) {
    return Fail(ErrorCode::kInvalidArgument, "there is no text `" + std::string(key) + "`");
  }
  return *member->AsString();
}

}  // namespace

// One mark for the whole process, because the wall clock may be set between the creation of two
// clocks.
const TimeMark& SteadyClock::StartOfThisProcess() {
  static const TimeMark kStart{
      .boot_id = BootId(), .since_boot = SinceBoot(), .wall = WallTime(Read(CLOCK_REALTIME))};
  return kStart;
}

SteadyClock::SteadyClock() : start_(StartOfThisProcess()) {}

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
