#pragma once

#include <cstdint>
#include <string_view>

#include "codec/documents/json.h"
#include "core/model/value.h"
#include "core/units/result.h"

namespace jettison::kube {

// What a line of a watch tells.
enum class WatchKind : std::uint8_t { kAdded, kModified, kDeleted, kBookmark, kError };

// A line of a watch.
struct WatchLine {
  WatchKind kind = WatchKind::kError;
  Value root;  // {"type": ..., "object": ...}

  // The object: as it is now, as it was last (kDeleted), one that has a resource version only
  // (kBookmark), or a Status (kError). Never null.
  [[nodiscard]] const Value& object() const { return *root.Find("object"); }
};

// Reads one line. kInvalidArgument: not JSON, of a type that is not known, or without an object.
[[nodiscard]] Result<WatchLine> ReadWatchLine(std::string_view line, JsonReader& reader);

}  // namespace jettison::kube
