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
  const std::size_t first = std::min(text.find('\n'), text.size());
  const auto head = jettison::ReadShardHead(text.substr(0, first));
  if (!head) return;
  for (text.remove_prefix(first); !text.empty();) {
    text.remove_prefix(1);
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto node = jettison::ReadShardNode(text.substr(0, end), *head);
    text.remove_prefix(end);
    if (!node) return;
    const std::string written = LineOf(*node);
    const auto again = jettison::ReadShardNode(written, *head);
    Require(again.has_value() && LineOf(*again) == written);
  }
}
