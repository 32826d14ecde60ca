#include "codec/documents/documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "codec/documents/json.h"
#include "codec/documents/room.h"
#include "codec/documents/yaml.h"

namespace jettison {
namespace {

bool LooksLikeJson(std::string_view text) {
  if (text.starts_with(documents::kByteOrderMark))
    text.remove_prefix(documents::kByteOrderMark.size());
  const auto first = text.find_first_not_of(documents::kBlanks);
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

}  // namespace

// Sorting pointers takes n log n, however many keys a hostile text has.
const std::string* documents::RepeatedKey(const Value::Map& map) {
  std::vector<const std::string*> keys;
  keys.reserve(map.size());
  for (const Value::Member& member : map) keys.push_back(&member.first);
  std::ranges::sort(keys, [](const auto* a, const auto* b) { return *a < *b; });
  const auto twin =
      std::ranges::adjacent_find(keys, [](const auto* a, const auto* b) { return *a == *b; });
  return twin == keys.end() ? nullptr : *twin;
}

Result<std::vector<Value>> ParseDocuments(std::string_view text, std::size_t most_memory,
                                          Keys keys) {
  return LooksLikeJson(text) ? ParseJsonDocuments(text, most_memory, keys)
                             : ParseYamlDocuments(text, most_memory, keys);
}

std::vector<std::string> KeepLastOfEach(Value& document) {
  std::vector<std::string> repeated;
  const int line = document.line();
  if (document.AsList() != nullptr) {
    for (Value& item : document.Become<Value::List>(line)) {
      std::ranges::move(KeepLastOfEach(item), std::back_inserter(repeated));
    }
  }
  if (document.AsMap() == nullptr) return repeated;
  Value::Map& members = document.Become<Value::Map>(line);
  while (const std::string* twice = documents::RepeatedKey(members)) {
    const std::string key = *twice;
    repeated.push_back(
        fmt::format("line {}: the map that begins here has the key \"{}\" twice", line, key));
    auto left = std::ranges::count(members, key, &Value::Member::first) - 1;
    std::erase_if(members, [&](const Value::Member& member) {
      return member.first == key && left > 0 && left-- > 0;
    });
  }
  for (auto& [key, value] : members) {
    std::ranges::move(KeepLastOfEach(value), std::back_inserter(repeated));
  }
  return repeated;
}

}  // namespace jettison
