#include "tests/prometheus/exposed_metrics.h"

#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <regex>

#include "api/metrics/metrics.h"
#include "core/shadow/shadow_book.h"
#include "tests/synthetic_snapshot.h"

namespace jettison {

std::string ExposedText() {
  Snapshot snapshot = SyntheticSnapshot(20);
  auto counters = std::make_shared<NodeCounters>();
  counters->passes.duration[0].Observe(std::chrono::microseconds(300));
  counters->pods.admission_rejections["OutOfmemory"] = 1;
  snapshot.counters = std::move(counters);
  snapshot.shadow = std::make_shared<const ShadowView>();
  snapshot.thresholds.front().time_to = std::chrono::seconds(7);
  const OwnProcess process{.cpu = std::chrono::seconds(1),
                           .resident_bytes = 1 << 20,
                           .virtual_bytes = 2 << 20,
                           .open_fds = 10,
                           .max_fds = 1024};
  return MetricsText(snapshot, Instant::min(), &process);
}

std::set<std::string> ExposedNames() {
  const std::string text = ExposedText();
  const std::regex kType("# TYPE ([a-z_]+) ");
  std::set<std::string> names;
  for (std::sregex_iterator it(text.begin(), text.end(), kType), end; it != end; ++it) {
    names.insert((*it)[1]);
  }
  return names;
}

std::set<std::string> NamesIn(std::string_view text) {
  static const std::regex kName("\\b(kubelet|jettison|process)_[a-z_]+\\b");
  static const std::regex kSeries("_(bucket|sum|count)$");
  const std::set<std::string> exposed = ExposedNames();
  const std::string all(text);
  std::set<std::string> names;
  for (std::sregex_iterator it(all.begin(), all.end(), kName), end; it != end; ++it) {
    const std::string family = std::regex_replace(it->str(), kSeries, "");
    names.insert(exposed.contains(family) ? family : it->str());
  }
  return names;
}

std::string FileText(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace jettison
