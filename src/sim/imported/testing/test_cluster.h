#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sim/imported/convert.h"

namespace jettison::test_cluster {

inline constexpr double kMi = 1 << 20;
inline const Instant kStart(std::chrono::seconds(1'767'225'600));

inline Instant At(double s) {
  return kStart + std::chrono::milliseconds(std::llround(s * 1e3));
}

// A sink that keeps a recording.
struct Recording final : RecordingSink {
  Result<void> Add(const RecordedItem& item) override {
    items.push_back(item);
    return {};
  }
  Result<void> Finish() override { return {}; }

  [[nodiscard]] std::vector<std::shared_ptr<const RecordedPass>> Passes() const {
    std::vector<std::shared_ptr<const RecordedPass>> passes;
    for (const RecordedItem& item : items) {
      const auto* pass = std::get_if<std::shared_ptr<const RecordedPass>>(&item);
      if (pass != nullptr) passes.push_back(*pass);
    }
    return passes;
  }
  template <typename T>
  [[nodiscard]] std::size_t Count() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        items, [](const RecordedItem& item) { return std::holds_alternative<T>(item); }));
  }
  std::vector<RecordedItem> items;
};

using Labels = std::map<std::string, std::string, std::less<>>;
using Course = std::function<std::optional<double>(int)>;

// A node of a cluster, scraped every 15 s for 20 minutes: 1000 MiB, two pods of which one leaks
// 0.5 MiB/s and is evicted at 700 s.
class Cluster {
 public:
  Cluster() {
    Scrape("node_memory_working_set_bytes", {{"node", "a"}}, 0,
           [](int s) { return (s < 700 ? 550 + s * 0.5 : 550) * kMi; });
    Scrape("kube_node_status_capacity", {{"node", "a"}, {"resource", "memory"}}, 2,
           [](int) { return 1000 * kMi; });
    AddPod("leak", "u1", 100, [](int s) -> std::optional<double> {
      if (s > 700) return std::nullopt;
      return (100 + s * 0.5) * kMi;
    });
    AddPod("calm", "u2", 500, [](int) { return 300 * kMi; });
    Scrape("kubelet_evictions", {{"node", "a"}, {"eviction_signal", "memory.available"}}, 4,
           [](int s) { return s < 700 ? 7 : 8; });
    Scrape("kube_pod_status_reason",
           {{"namespace", "ns"}, {"pod", "leak"}, {"uid", "u1"}, {"reason", "Evicted"}}, 9,
           [](int s) { return s < 705 ? 0 : 1; });
  }

  // Samples `offset` seconds after each full quarter of a minute.
  void Scrape(const std::string& name, const Labels& labels, int offset, const Course& course) {
    std::vector<MetricSample>& samples =
        series_.emplace_back(MetricSeries{.name = name, .labels = labels, .samples = {}}).samples;
    for (int s = offset; s <= 1200; s += 15) {
      if (const auto value = course(s)) samples.push_back({At(s), *value});
    }
  }
  void AddPod(const std::string& name, const std::string& uid, double request_mi,
              const Course& memory) {
    const Labels pod = {{"namespace", "ns"}, {"pod", name}};
    Labels of_node = pod;
    of_node["node"] = "a";
    Scrape("pod_memory_working_set_bytes", of_node, 3, memory);
    of_node["uid"] = uid;
    Scrape("kube_pod_info", of_node, 8, [](int) { return 1; });
    of_node["container"] = "c";
    of_node["resource"] = "memory";
    Scrape("kube_pod_container_resource_requests", of_node, 8,
           [=](int) { return request_mi * kMi; });
  }
  void Erase(std::string_view name) {
    std::erase_if(series_, [&](const auto& each) { return each.name == name; });
  }
  // Leaves samples of a metric out between two moments.
  void Cut(std::string_view name, double from, double to) {
    for (MetricSeries& series : series_) {
      if (series.name != name) continue;
      std::erase_if(series.samples, [&](const MetricSample& sample) {
        return sample.at > At(from) && sample.at < At(to);
      });
    }
  }

  Result<ImportSummary> Import(Recording& recording) const {
    return ImportNode("a", {.series = series_, .warnings = {}}, options, recording);
  }

  ImportOptions options = {.source = "a test",
                           .policy = {.thresholds = {{.signal = Signal::kMemoryAvailable,
                                                      .value = Quantity::Of(100 << 20)}}},
                           .profile = {},
                           .priority_classes = {},
                           .from = At(0),
                           .to = At(1200)};

 private:
  std::vector<MetricSeries> series_;
};

inline std::vector<std::string> NotesOf(const Cluster& cluster) {
  Recording recording;
  const auto summary = cluster.Import(recording);
  EXPECT_TRUE(summary) << summary.error().message;
  EXPECT_EQ(recording.Count<RecordedNote>(), summary ? summary->notes.size() : 0);
  return summary ? summary->notes : std::vector<std::string>();
}

}  // namespace jettison::test_cluster
