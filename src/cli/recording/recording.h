#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "codec/flight/recording_reader.h"
#include "core/recording/recording.h"
#include "core/units/duration.h"

namespace jettison {

// Adds `jettison record`: fetches the recording of a running agent into a file.
void AddRecord(CLI::App& app, int& exit_code);
// Adds `jettison show`: what is in a recording, or all of it in another form.
void AddShow(CLI::App& app, int& exit_code);

// What is in a recording, and what is wrong with it, counted item by item.
class RecordingDigest {
 public:
  // Lists end with the kMostTold-th entry; counts do not.
  static constexpr std::size_t kMostTold = 100;

  void Add(const RecordedItem& item);
  // Something is damaged or cannot be read: what, and where.
  void AddFault(const std::string& fault) { faults_.Add(fault); }
  [[nodiscard]] bool has_faults() const { return faults_.count > 0; }

  // For people, a line each. `found` is what was found of its bytes; null: it is no binary one.
  [[nodiscard]] std::string Text(const RecordingFound* found) const;
  // The same for programs, one JSON object. Its members are described in docs/recording.md.
  [[nodiscard]] std::string Json(const RecordingFound* found) const;

 private:
  template <typename T>
  struct List {
    void Add(T item) {
      if (++count <= kMostTold) first.push_back(std::move(item));
    }
    std::vector<T> first;
    std::uint64_t count = 0;
  };
  struct Eviction {
    Instant at;
    std::string pod_uid;
    std::string message;
  };
  void AddPass(const RecordedPass& pass);

  std::set<std::string> nodes_;
  List<RecordingAbout> starts_;  // of an agent
  std::optional<Instant> from_;
  std::optional<Instant> to_;
  std::uint64_t passes_ = 0;
  std::uint64_t acting_passes_ = 0;  // a threshold was acted for
  std::uint64_t oom_kills_ = 0;
  std::uint64_t reclaims_ = 0;  // passes that reclaimed before they evicted
  std::set<std::string> pods_;
  std::uint64_t policies_ = 0;     // that differ from the one before
  List<RecordedGap> gaps_;         // of which there is no information
  List<RecordedGap> clock_steps_;  // by which the clock was set back
  List<Eviction> evictions_;
  List<std::string> notes_;  // what the recording says of itself
  List<std::string> faults_;
  std::optional<Instant> last_pass_;   // since the start or the gap
  std::optional<Instant> last_time_;   // of any pass
  std::vector<Threshold> thresholds_;  // of the pass before
};

}  // namespace jettison
