#include "core/model/value.h"

#include <array>

namespace jettison {

const Value* Value::Find(std::string_view key) const {
  const Map* map = AsMap();
  if (map == nullptr) return nullptr;
  for (const Member& member : *map) {
    if (member.first == key) return &member.second;
  }
  return nullptr;
}

std::string_view Value::KindName() const {
  static constexpr std::array<std::string_view, 6> kNames = {"null",     "a boolean", "a number",
                                                             "a string", "a list",    "a map"};
  return kNames[data_.index()];
}

}  // namespace jettison
