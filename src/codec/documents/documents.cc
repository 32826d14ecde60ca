#include "codec/documents/documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "codec/documents/room.h"

namespace jettison {
namespace {

bool LooksLikeJson(std::string_view text) {
  const auto first = text.find_first_not_of(documents::kBlanks);
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

}  // namespace

// Sorting pointers takes n log n, however many keys a hostile text has.
const std::string* documents::Room::RepeatedKey(Value::Map& map, int line) {
  while (true) {
    std::vector<const std::string*> keys;
    keys.reserve(map.size());
    for (const Value::Member& member : map) keys.push_back(&member.first);
    std::ranges::sort(keys, [](const auto* a, const auto* b) { return *a < *b; });
    const auto twin =
        std::ranges::adjacent_find(keys, [](const auto* a, const auto* b) { return *a == *b; });
    if (twin == keys.end()) return nullptr;
    if (repeated_ == nullptr) return *twin;
    const std::string key = **twin;
    repeated_->push_back(
        fmt::format("line {}: the map that begins here has the key \"{}\" twice", line, key));
    auto left = std::ranges::count(map, key, &Value::Member::first) - 1;
    std::erase_if(map, [&](const Value::Member& member) {
      return member.first == key && left > 0 && left-- > 0;
    });
  }
}

Result<std::vector<Value>> ParseDocuments(std::string_view text, std::size_t most_memory,
                                          std::vector<std::string>* repeated) {
  documents::Room room(most_memory, repeated);
  if (text.starts_with(documents::kByteOrderMark))
    text.remove_prefix(documents::kByteOrderMark.size());
  return LooksLikeJson(text) ? documents::ParseJsonInARow(text, room)
                             : documents::ParseYaml(text, room);
}

}  // namespace jettison
