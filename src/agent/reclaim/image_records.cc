#include "agent/reclaim/image_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>
#include <utility>

#include "agent/loop/time_mark.h"
#include "codec/documents/json.h"
#include "core/json/json_writer.h"
#include "kernel/files/files.h"

namespace jettison {
namespace {

// The same as in DetectImages: older than any listing.
constexpr Instant kLongAgo = Instant::min();

// The uptime of the machine counts, so it is written at least this often.
constexpr Duration kRefresh = std::chrono::hours(1);

// Converts the times of a text to instants.
struct Conversion {
  const Clock& clock;
  std::optional<TimeMark> written;

  [[nodiscard]] Instant operator()(WallTime then) const {
    if (!written) return InstantOf(then, clock);
    const Duration then_ago =
        std::max(SaturatingDifference(written->wall.time_since_epoch(), then.time_since_epoch()),
                 Duration(0));
    const Duration ago = SaturatingDifference(then_ago, -ElapsedBetween(*written, clock.Mark()));
    return Instant(SaturatingDifference(clock.Now().time_since_epoch(), ago));
  }
};

// The time under that key, not later than now; absent if there is none.
Result<std::optional<Instant>> TimeOf(const Value& record, std::string_view key,
                                      const Conversion& converted) {
  const Value* value = record.Find(key);
  if (value == nullptr) return std::nullopt;
  const std::string* text = value->AsString();
  if (text == nullptr) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("`{}` is {}, not a time", key, value->KindName()));
  }
  const auto time = ParseWallTime(*text);
  if (!time) return Fail(time.error().In(key));
  return converted(*time);
}

Result<ImageRecord> RecordOf(const Value& value, const Conversion& converted) {
  const Value* id = value.Find("id");
  if (id == nullptr || id->AsString() == nullptr || id->AsString()->empty()) {
    return Fail(ErrorCode::kInvalidArgument, "a record without `id`");
  }
  ImageRecord record{.id = *id->AsString()};
  const auto first_detected = TimeOf(value, "firstDetected", converted);
  if (!first_detected) return Fail(first_detected.error().In(record.id));
  record.first_detected = first_detected->value_or(kLongAgo);
  const auto last_used = TimeOf(value, "lastUsed", converted);
  if (!last_used) return Fail(last_used.error().In(record.id));
  record.last_used = *last_used;
  const Value* in_use = value.Find("inUse");
  if (in_use != nullptr && in_use->AsBool() != nullptr && *in_use->AsBool()) {
    record.last_used = converted.clock.Now();
  }
  return record;
}

// What a text contains of a record.
auto Facts(const ImageRecord& record) {
  return std::tuple(std::string_view(record.id), record.first_detected, record.in_use,
                    record.in_use ? std::nullopt : record.last_used);
}

bool SaySame(std::span<const ImageRecord> a, std::span<const ImageRecord> b) {
  return std::ranges::equal(a, b, {}, Facts, Facts);
}

}  // namespace

std::string FormatImageRecords(std::span<const ImageRecord> records, const Clock& clock) {
  const TimeMark mark = clock.Mark();
  const auto text_of = [&](Instant at) {
    const Duration ago = Elapsed(at, clock.Now());
    return FormatWallTime(WallTime(SaturatingDifference(mark.wall.time_since_epoch(), ago)));
  };
  std::string text;
  JsonWriter json(text);
  json.Object([&] {
    json.Key("written");
    WriteTimeMark(mark, json);
    json.Array("images", [&] {
      for (const ImageRecord& record : records) {
        json.Object([&] {
          json.Field("id", record.id);
          if (record.first_detected != kLongAgo) {
            json.Field("firstDetected", text_of(record.first_detected));
          }
          if (record.in_use) {
            json.Field("inUse", true);
          } else if (record.last_used) {
            json.Field("lastUsed", text_of(*record.last_used));
          }
        });
      }
    });
  });
  return text + "\n";
}

Result<ImageRecordsReading> ParseImageRecords(std::string_view text, const Clock& clock) {
  const auto document = ParseJson(text);
  if (!document) return Fail(document.error());
  const Value* images = document->Find("images");
  if (images == nullptr || images->AsList() == nullptr) {
    return Fail(ErrorCode::kInvalidArgument, "there is no list `images`");
  }
  ImageRecordsReading reading;
  Conversion converted{.clock = clock, .written = std::nullopt};
  if (const Value* written = document->Find("written")) {
    auto mark = TimeMarkIn(*written);
    if (mark) {
      converted.written = *std::move(mark);
    } else {
      reading.faults.push_back("written: " + mark.error().message);
    }
  }
  std::set<std::string, std::less<>> ids;
  for (const Value& value : *images->AsList()) {
    auto record = RecordOf(value, converted);
    if (!record) {
      reading.faults.push_back(record.error().message);
    } else if (!ids.insert(record->id).second) {
      reading.faults.push_back(record->id + ": twice");
    } else {
      reading.records.push_back(std::move(*record));
    }
  }
  std::ranges::sort(reading.records, {}, &ImageRecord::id);
  return reading;
}

ImageRecordFile::ImageRecordFile(std::string path, const Clock& clock, const Log& log,
                                 std::shared_ptr<DiskThread> thread)
    : file_(std::move(path)),
      clock_(clock),
      log_(log),
      thread_(std::move(thread)),
      writing_([disk = thread_](const std::function<void()>& write) {
        if (!disk || !disk->Do(write)) write();
      }) {}

std::vector<ImageRecord> ImageRecordFile::Read() {
  const auto text = file_.Read();
  if (text && !*text) return {};
  auto reading = text ? ParseImageRecords(**text, clock_) : Fail(text.error());
  if (!reading) {
    log_.Warn("the records of images cannot be read; the agent begins new ones",
              {{"err", reading.error().message}, {"file", file_.PutAside()}});
    return {};
  }
  for (const std::string& fault : reading->faults) {
    log_.Warn("the record of an image is damaged and is ignored",
              {{"file", file_.path()}, {"err", fault}});
  }
  written_ = reading->records;
  written_at_ = clock_.Now();
  return std::move(reading->records);
}

bool ImageRecordFile::HearOfLast() {
  const auto written = writing_.Take();
  if (!written) return !writing_.under_way();
  if (!*written) {
    written_.reset();
    if (!failing_) {
      log_.Warn("the records of images cannot be written; they are lost if the agent restarts",
                {{"err", written->error().message}});
    }
  }
  failing_ = !written->has_value();
  return true;
}

void ImageRecordFile::Write(std::span<const ImageRecord> records) {
  if (!HearOfLast()) return;
  const bool recent = Elapsed(written_at_, clock_.Now()) < kRefresh;
  if (written_ && recent && SaySame(*written_, records)) return;
  written_.emplace(records.begin(), records.end());
  written_at_ = clock_.Now();
  writing_.Begin([path = file_.path(), text = FormatImageRecords(records, clock_)] {
    return kernel::WriteFile(path, text);
  });
  (void)HearOfLast();
}

}  // namespace jettison
