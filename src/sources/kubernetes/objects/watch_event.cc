#include "sources/kubernetes/objects/watch_event.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "codec/documents/room.h"
#include "core/model/fault.h"

namespace jettison::kube {
namespace {

// The most memory of one parsed object; the largest pod that the API server accepts takes less.
constexpr std::size_t kMostMemory = std::size_t{32} << 20;

constexpr std::pair<std::string_view, WatchKind> kKinds[] = {
    {"ADDED", WatchKind::kAdded},     {"MODIFIED", WatchKind::kModified},
    {"DELETED", WatchKind::kDeleted}, {"BOOKMARK", WatchKind::kBookmark},
    {"ERROR", WatchKind::kError},
};

}  // namespace

Result<WatchLine> ReadWatchLine(std::string_view line, JsonReader& reader) {
  documents::Room room(kMostMemory);
  auto root = reader.Parse(line, 1, room);
  if (!root) return Fail(root.error());
  const Value* type = root->Find("type");
  const std::string* name = type == nullptr ? nullptr : type->AsString();
  const auto kind = std::ranges::find_if(
      kKinds, [&](const auto& known) { return name != nullptr && known.first == *name; });
  if (kind == std::end(kKinds)) {
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("a watch tells of {}", name == nullptr ? "nothing" : Shortened(*name, 64)));
  }
  const Value* object = root->Find("object");
  if (object == nullptr || object->AsMap() == nullptr) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("{} without an object", kind->first));
  }
  return WatchLine{.kind = kind->second, .root = std::move(*root)};
}

}  // namespace jettison::kube
