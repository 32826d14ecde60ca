#pragma once

#include <gtest/gtest.h>

#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apply/pass.h"
#include "codec/flight/item_encoder.h"
#include "codec/flight/recording_reader.h"
#include "codec/flight/recording_writer.h"
#include "sim/replay.h"
#include "tests/random_scenario.h"

// Recordings made of random scenarios, and a way to compare what is read of them.
namespace jettison {

inline const Instant kRecordedFrom = Instant(std::chrono::hours(24 * 365 * 55));

// What a pass may have known of earlier evictions; absent one time in four.
inline std::optional<PaceInput> SomePace(std::mt19937& random, Instant now) {
  if (random() % 4 == 0) return std::nullopt;
  const auto amount = [&] { return static_cast<std::int64_t>(random() % (1U << 30)); };
  PaceInput pace{.signal = random() % 4 == 0 ? Signal::kPidAvailable : Signal::kMemoryAvailable,
                 .ending = amount()};
  if (random() % 2 == 0) pace.kubelet_decides = now + std::chrono::milliseconds(random() % 2000);
  if (random() % 2 == 0) pace.next_by_clock = now + std::chrono::seconds(random() % 10);
  if (random() % 2 == 0) pace.growth = amount();
  pace.growth_of_pods = amount();
  if (pace.growth_of_pods % 3 == 0) {
    constexpr PaceReason kReasons[] = {PaceReason::kAsked, PaceReason::kCoolDown,
                                       PaceReason::kHourlyRate, PaceReason::kApiAway,
                                       PaceReason::kNoRight};
    pace.soft = SoftHold{.reason = kReasons[pace.growth_of_pods % 5],
                         .until = now + std::chrono::seconds(pace.growth_of_pods % 60)};
  }
  return pace;
}

// A scenario in which evictions may wait, a reclaim goes on, and figures of disks are old.
inline Scenario SomeRecordedScenario(std::uint32_t seed) {
  Scenario scenario = SomeScenario(seed);
  std::mt19937 random(seed);
  scenario.pods[seed % scenario.pods.size()].protection = Protection::kObserved;
  scenario.pods[(seed + 1) % scenario.pods.size()].source = PodOrigin::kKubernetes;
  scenario.steps[2].reclaim_under_way = seed % 3 == 0;
  for (ScenarioStep& step : scenario.steps) {
    step.pace = SomePace(random, scenario.start + step.at);
    auto& pods = step.summary.pods;
    for (std::size_t i = 0; i < pods.size(); ++i) {
      if (i % 3 == 0) pods[i].stale_disk = StaleDisk{};
      if (i % 3 == 1) pods[i].stale_disk = StaleDisk{.measured_at = Instant()};
    }
  }
  return scenario;
}

// The passes of a scenario as an agent records them; `from` is the number of the first.
inline std::vector<RecordedItem> ItemsOf(const Scenario& scenario, std::uint64_t from = 1) {
  std::vector<RecordedItem> items;
  for (RecordedPass& pass : RecordedPassesOf(scenario)) {
    pass.number = from++;
    if (Elapsed(scenario.start, pass.report.at).count() % 3 == 0) {
      items.emplace_back(RecordedOomKill{.at = pass.report.at, .pod_uid = "pod", .container = "c"});
    }
    items.emplace_back(std::make_shared<const RecordedPass>(std::move(pass)));
  }
  return items;
}

// Several scenarios after one another, each in the name of an agent that was started anew.
inline std::vector<RecordedItem> SomeRecording(std::uint32_t seed, std::size_t runs = 3) {
  std::vector<RecordedItem> items;
  for (std::uint32_t i = 0; i < runs; ++i) {
    Scenario scenario = SomeRecordedScenario(seed + i);
    scenario.start += std::chrono::hours(i);
    items.emplace_back(RecordingAbout{.at = scenario.start - std::chrono::milliseconds(1500),
                                      .node = "node-1",
                                      .maker = "jettison 0.1.0",
                                      .profile = scenario.profile});
    for (RecordedItem& item : ItemsOf(scenario)) items.push_back(std::move(item));
    items.emplace_back(RecordedGap{.from = scenario.start + std::chrono::minutes(2),
                                   .to = scenario.start + std::chrono::minutes(3),
                                   .why = "the recorder had too much to do"});
    items.emplace_back(
        RecordedNote{.at = scenario.start + std::chrono::minutes(3), .text = "made at random"});
  }
  return items;
}

// Everything of an item, its pods as a recording holds them.
inline std::string TextOfItem(const RecordedItem& item) {
  std::string text;
  ItemEncoder encoder(RecordedForm::kWhole,
                      [&](const recording::Item& message) { text += message.DebugString(); });
  encoder.Add(item);
  return text;
}

// A hash of each item, which lets tests report a difference briefly.
inline std::vector<std::size_t> HashesOf(const std::vector<RecordedItem>& items) {
  std::vector<std::size_t> hashes;
  for (const RecordedItem& item : items)
    hashes.push_back(std::hash<std::string>{}(TextOfItem(item)));
  return hashes;
}

// The recording, and where each of its chunks begins.
struct WrittenRecording {
  std::string bytes;
  std::vector<std::size_t> chunks;
};

inline WrittenRecording Written(const std::vector<RecordedItem>& items, ChunkLimits limits = {}) {
  WrittenRecording written;
  RecordingWriter writer(
      [&](std::string_view frames) -> Result<void> {
        if (frames.starts_with(kChunkMagic)) written.chunks.push_back(written.bytes.size());
        written.bytes += frames;
        return {};
      },
      limits);
  for (const RecordedItem& item : items) {
    const auto added = writer.Add(item);
    EXPECT_TRUE(added) << added.error().message;
  }
  EXPECT_TRUE(writer.Finish());
  return written;
}

// Hands out bytes in pieces of `at_once`.
inline RecordingReader::Read BytesIn(std::string_view bytes, std::size_t at_once = 1 << 16) {
  return
      [bytes, at_once, at = std::size_t{0}](std::span<char> into) mutable -> Result<std::size_t> {
        const std::size_t size = std::min({into.size(), at_once, bytes.size() - at});
        std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), size, into.begin());
        at += size;
        return size;
      };
}

struct ReadRecording {
  std::vector<RecordedItem> items;
  std::vector<std::string> faults;
  RecordingFound found;
};

inline ReadRecording ReadAll(std::string_view bytes, std::size_t at_once = 1 << 16) {
  ReadRecording read;
  RecordingReader reader(BytesIn(bytes, at_once));
  for (;;) {
    auto item = reader.Next();
    if (!item) {
      read.faults.push_back(item.error().message);
    } else if (*item) {
      read.items.push_back(**std::move(item));
    } else {
      if (reader.found() != nullptr) read.found = *reader.found();
      return read;
    }
    if (read.faults.size() > 10'000) return read;
  }
}

}  // namespace jettison
