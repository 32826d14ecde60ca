// links: jettison_fleet_parts
// Parts of a fleet's simulation: whatever bytes come, reading answers or refuses, and a node that
// was read is written and read again as the same.

#include <algorithm>
#include <string>
#include <variant>

#include "codec/fleet/part_reader.h"
#include "codec/fleet/part_writer.h"
#include "fuzz/fuzz.h"

namespace {

void CheckNode(const jettison::FleetNode& node) {
  static jettison::JsonReader json;
  const std::string line = jettison::PartLineOf(node);
  const auto again = jettison::ReadPartLine(line, json);
  Require(again.has_value() && jettison::PartLineOf(*again) == line);
}

}  // namespace

void Fuzz(std::string_view text) {
  jettison::PartReader reader;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto item = reader.Take(text.substr(0, end));
    if (!item) return;
    if (const auto* node = std::get_if<jettison::FleetNode>(&*item)) CheckNode(*node);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}
