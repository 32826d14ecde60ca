#include "agent/image_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "platform/documents/json.h"
#include "pod_host/files.h"

namespace jettison {
namespace {

// As DetectImages has it: before anyone looked.
constexpr Instant kLongAgo = Instant::min();

// Never throws: what is not UTF-8 in an id is replaced.
std::string TextOf(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

// The time under that key, not later than now; absent where there is none.
Result<std::optional<Instant>> TimeOf(const Value& record, std::string_view key, Instant now) {
  const Value* value = record.Find(key);
  if (value == nullptr) return std::nullopt;
  const std::string* text = value->AsString();
  if (text == nullptr) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("`{}` is {}, not a time", key, value->KindName()));
  }
  const auto time = ParseInstant(*text);
  if (!time) return Fail(time.error().In(key));
  return std::min(*time, now);
}

Result<ImageRecord> RecordOf(const Value& value, Instant now) {
  const Value* id = value.Find("id");
  if (id == nullptr || id->AsString() == nullptr || id->AsString()->empty()) {
    return Fail(ErrorCode::kInvalidArgument, "a record without `id`");
  }
  ImageRecord record{.id = *id->AsString()};
  const auto first_detected = TimeOf(value, "firstDetected", now);
  if (!first_detected) return Fail(first_detected.error().In(record.id));
  record.first_detected = first_detected->value_or(kLongAgo);
  const auto last_used = TimeOf(value, "lastUsed", now);
  if (!last_used) return Fail(last_used.error().In(record.id));
  record.last_used = *last_used;
  const Value* in_use = value.Find("inUse");
  if (in_use != nullptr && in_use->AsBool() != nullptr && *in_use->AsBool()) {
    record.last_used = now;
  }
  return record;
}

}  // namespace

std::string FormatImageRecords(std::span<const ImageRecord> records) {
  auto images = nlohmann::ordered_json::array();
  for (const ImageRecord& record : records) {
    nlohmann::ordered_json image;
    image["id"] = record.id;
    if (record.first_detected != kLongAgo) {
      image["firstDetected"] = FormatInstant(record.first_detected);
    }
    if (record.in_use) {
      image["inUse"] = true;
    } else if (record.last_used) {
      image["lastUsed"] = FormatInstant(*record.last_used);
    }
    images.push_back(std::move(image));
  }
  nlohmann::ordered_json document;
  document["images"] = std::move(images);
  return TextOf(document) + "\n";
}

Result<ImageRecordsReading> ParseImageRecords(std::string_view text, Instant now) {
  const auto document = ParseJson(text);
  if (!document) return Fail(document.error());
  const Value* images = document->Find("images");
  if (images == nullptr || images->AsList() == nullptr) {
    return Fail(ErrorCode::kInvalidArgument, "there is no list `images`");
  }
  ImageRecordsReading reading;
  std::set<std::string, std::less<>> ids;
  for (const Value& value : *images->AsList()) {
    auto record = RecordOf(value, now);
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

std::vector<ImageRecord> ImageRecordFile::Read(Instant now) {
  auto text = pod_host::ReadFile(path_);
  if (!text) {
    if (text.error().code != ErrorCode::kNotFound) {
      log_.Warn("records of images cannot be read, they begin anew",
                {{"err", text.error().message}});
    }
    return {};
  }
  auto reading = ParseImageRecords(*text, now);
  if (!reading) {
    log_.Warn("records of images are damaged, they begin anew",
              {{"file", path_}, {"err", reading.error().message}});
    return {};
  }
  for (const std::string& fault : reading->faults) {
    log_.Warn("a record of an image is damaged and left out", {{"file", path_}, {"err", fault}});
  }
  written_ = std::move(*text);
  return std::move(reading->records);
}

void ImageRecordFile::Write(std::span<const ImageRecord> records) {
  std::string text = FormatImageRecords(records);
  if (text == written_) return;
  if (const auto written = pod_host::WriteFile(path_, text); !written) {
    if (!failing_) {
      log_.Warn("records of images cannot be written and would not survive a restart",
                {{"err", written.error().message}});
    }
    failing_ = true;
    return;
  }
  failing_ = false;
  written_ = std::move(text);
}

}  // namespace jettison
