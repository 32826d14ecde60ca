// links: jettison_cli_simulate
// The result of a shard: whatever bytes come, reading answers or refuses, and a node that was read
// is written and read again as the same.

#include <algorithm>
#include <string>

#include "cli/simulate/simulate.h"
#include "fuzz/fuzz.h"
#include "sim/report/report_fields.h"

namespace {

std::string LineOf(const jettison::SimulationReport& report) {
  std::string line;
  jettison::JsonWriter json(line);
  jettison::WriteForm(report, json);
  return line;
}

}  // namespace

void Fuzz(std::string_view text) {
  jettison::ShardLines lines;
  std::string_view head;
  for (bool is_first = true; !text.empty(); is_first = false) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (is_first) {
      if (!lines.TakeHead(line)) return;
      head = line;
      continue;
    }
    const auto node = lines.TakeNode(line);
    if (!node || !*node) return;
    const std::string written = LineOf(**node);
    jettison::ShardLines alone;
    Require(alone.TakeHead(head).has_value());
    const auto again = alone.TakeNode(written);
    Require(again.has_value() && again->has_value() && LineOf(**again) == written);
  }
}
