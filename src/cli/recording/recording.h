#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "codec/flight/recording_reader.h"
#include "core/recording/recording.h"
#include "core/units/duration.h"

namespace jettison {

// Adds `jettison record`: fetches the recording of a running agent into a file.
void AddRecord(CLI::App& app, int& exit_code);

// A period of which a recording has no information.
struct DigestGap {
  Instant from;
  Instant to;
  std::string why;
};

struct DigestEviction {
  Instant at;
  std::string pod_uid;
  std::string message;
};

// What is in a recording, and what is wrong with it. Lists end with the kMostTold-th entry; counts
// do not.
struct RecordingDigest {
  static constexpr std::size_t kMostTold = 100;

  std::set<std::string> nodes;
  std::vector<RecordingAbout> starts;  // of an agent
  std::uint64_t start_count = 0;
  std::optional<Instant> from;
  std::optional<Instant> to;
  std::uint64_t passes = 0;
  std::uint64_t acting_passes = 0;  // a threshold was acted for
  std::uint64_t evictions = 0;
  std::uint64_t oom_kills = 0;
  std::uint64_t reclaims = 0;  // passes that reclaimed before they evicted
  std::set<std::string> pods;
  std::uint64_t policies = 0;  // that differ from the one before
  std::vector<DigestGap> gaps;
  std::uint64_t gap_count = 0;
  std::vector<DigestGap> clock_steps;  // back; `to` is before `from`
  std::uint64_t clock_step_count = 0;
  std::vector<DigestEviction> evicted;
  std::vector<std::string> notes;  // what the recording says of itself
  std::uint64_t note_count = 0;
  std::vector<std::string> faults;  // what is damaged or cannot be read, and where
  std::uint64_t fault_count = 0;
};

// Counts item by item.
class DigestMaker {
 public:
  void Add(const RecordedItem& item);
  void AddFault(const std::string& fault);
  [[nodiscard]] const RecordingDigest& digest() const { return digest_; }

 private:
  void AddPass(const RecordedPass& pass);
  void AddGap(DigestGap gap);
  void NoteStepBack(Instant from, Instant to);

  RecordingDigest digest_;
  std::optional<Instant> last_pass_;   // since the start or the gap
  std::optional<Instant> last_time_;   // of any pass
  std::vector<Threshold> thresholds_;  // of the pass before
};

// What is in a recording, for people, a line each. `found` is what was found of its bytes; null: it
// is no binary one.
[[nodiscard]] std::string DigestText(const RecordingDigest& digest, const RecordingFound* found);
// The same for programs, one JSON object. Its members are described in docs/recording.md.
[[nodiscard]] std::string DigestJson(const RecordingDigest& digest, const RecordingFound* found);

// Adds `jettison show`: what is in a recording, or all of it in another form.
void AddShow(CLI::App& app, int& exit_code);

}  // namespace jettison
