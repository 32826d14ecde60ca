#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/dependencies/dependencies.h"
#include "agent/reclaim/image_collector.h"
#include "ports/fakes/fake_clock.h"
#include "ports/fakes/fake_image_store.h"

namespace jettison {

inline constexpr std::uint64_t kTestMi = std::uint64_t{1} << 20;

// A file system of 1000 MiB that holds the images, as the test fills it.
class FakeDisk : public Figures {
 public:
  explicit FakeDisk(const Clock& clock) : clock_(clock) {}
  NodeStats ReadNode() override {
    ++looks;
    NodeStats stats;
    if (!readable) return stats;
    stats.image_fs = FsStats{.time = clock_.Now(),
                             .available_bytes = available_mi * kTestMi,
                             .capacity_bytes = 1000 * kTestMi};
    return stats;
  }
  void ReadPods(std::span<const PodFacts* const>, const DiskUse*, std::vector<PodStats>&) override {
  }
  void ReadMemoryOf(std::span<const PodFacts* const>, std::vector<PodStats>&) override {}
  void ReadContainersOf(const PodFacts&, PodStats&) override {}

  std::uint64_t available_mi = 500;
  bool readable = true;
  int looks = 0;

 private:
  const Clock& clock_;
};

// What an image collector needs, in memory. Images of 100 MiB take that much of the disk.
struct ImageTestBed {
  ImageTestBed() {
    store.OnRemoved([this](const StoredImage& image) {
      if (frees) disk.available_mi += image.size_bytes / kTestMi;
    });
  }
  void Add(const std::string& id, std::vector<std::string> references = {}) {
    store.Add(id, 100 * kTestMi, std::move(references));
  }
  [[nodiscard]] ImageCollectorDependencies Dependencies() {
    return {.clock = clock,
            .images = store,
            .figures = disk,
            .events = events,
            .log = log,
            .needed = [this] { return needed; }};
  }
  // Steps the time to each deadline of `driven` in turn, `time` in all, and delivers answers.
  template <typename Driven>
  void Pass(Driven& driven, Duration time) {
    const Instant end = clock.Now() + time;
    for (;;) {
      driven.Advance(clock.Now());
      store.Deliver();
      const auto next = driven.NextDeadline();
      if (!next || *next > end) break;
      clock.Set(std::max(*next, clock.Now() + std::chrono::nanoseconds(1)));
    }
    clock.Set(end);
    driven.Advance(end);
    store.Deliver();
  }
  [[nodiscard]] bool Said(std::string_view text) const {
    for (const std::string& line : lines) {
      if (line.find(text) != std::string::npos) return true;
    }
    return false;
  }
  // Reasons of all events.
  [[nodiscard]] std::vector<std::string> Reasons() const {
    std::vector<std::string> reasons;
    for (const LoggedEvent& event : events.events()) reasons.push_back(event.event.reason);
    return reasons;
  }

  FakeClock clock{Instant(std::chrono::hours(24 * 365))};
  FakeImageStore store;
  FakeDisk disk{clock};
  bool frees = true;  // a removed image frees its space at once
  std::optional<std::vector<std::string>> needed = std::vector<std::string>();
  std::vector<std::string> lines;
  Log log{LogFormat::kText, clock, [this](std::string_view line) { lines.emplace_back(line); }};
  EventLog events{log, 100};
};

}  // namespace jettison
