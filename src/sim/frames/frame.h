#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/decide/local_storage.h"
#include "core/model/profile.h"
#include "core/model/signal.h"
#include "core/observe/observations.h"
#include "core/pass/pass.h"
#include "core/pods/pod_facts.h"
#include "core/text/text_index.h"
#include "core/units/duration.h"

namespace jettison {

// A pod that occurs in a recording, known by its place.
using PodIndex = std::size_t;

struct KnownPod {
  std::shared_ptr<const PodFacts> facts;  // as they were told last
  std::string name;                       // "namespace/name"
};

// What one pod held when a frame was taken.
struct FramePod {
  PodIndex slot = 0;
  std::int64_t memory = 0;          // working set, bytes
  std::int64_t peak = 0;            // the most since the frame before; of `between` alone
  const PodStats* stats = nullptr;  // as recorded; lives as long as the frame's pass. Null: none
  bool is_ending = false;           // it was told to end, and its memory is not back yet
};

// A pod that did not end by itself.
struct RecordedEnd {
  enum class How : std::uint8_t { kEvicted, kOomKilled };
  PodIndex slot = 0;
  How how = How::kEvicted;
  Instant at;  // not before the frame before, not after the frame that has it
};

// The node at one moment of its recording.
struct Frame {
  Instant at;
  // Between which it was so; both are `at`, unless the moment is not known.
  Instant not_before;
  Instant not_after;
  Observations seen;
  // The least that was available of memory.available and allocatableMemory.available since the
  // frame before; absent: nothing is known beyond the frames.
  std::optional<std::int64_t> lowest_memory;
  std::optional<std::int64_t> lowest_allocatable;
  std::vector<FramePod> pods;  // active ones, by slot
  // Pods that held more since the frame before than in the two frames, or were in neither: `peak`
  // alone counts. By slot; their `stats` may be gone.
  std::vector<FramePod> between;
  std::vector<RecordedEnd> ends;             // since the frame before
  std::shared_ptr<const RecordedPass> pass;  // that it is; null: it was made up in between
  std::shared_ptr<const RecordedPass> kept;  // whose figures `pods` point into
  bool is_evicting = false;                  // a pod was told to end in the pass
  bool breaks = false;                       // nothing is known of the time before
};

// The figures of a pod among those of several, which are by slot; null: it is not among them.
[[nodiscard]] const FramePod* FindPod(const std::vector<FramePod>& pods, PodIndex slot);
// The same of a frame; null where it was not active.
[[nodiscard]] const FramePod* FiguresOf(const Frame& frame, PodIndex slot);

// All pods of a recording.
class PodRoster {
 public:
  [[nodiscard]] PodIndex SlotOf(const std::shared_ptr<const PodFacts>& facts);
  [[nodiscard]] std::optional<PodIndex> Find(std::string_view uid) const;
  [[nodiscard]] const KnownPod& operator[](PodIndex slot) const { return pods_[slot]; }
  [[nodiscard]] std::size_t size() const { return pods_.size(); }

 private:
  std::vector<KnownPod> pods_;
  TextIndex<PodIndex> slots_;
};

// What lies between two frames that follow each other: on straight lines.
class Segment {
 public:
  Segment(const Frame& from, const Frame& to) : from_(from), to_(to) {}

  [[nodiscard]] const Frame& from() const { return from_; }
  [[nodiscard]] const Frame& to() const { return to_; }
  [[nodiscard]] Duration length() const { return Elapsed(from_.at, to_.at); }

  // What is available of a signal; absent where it was not observed at the end.
  [[nodiscard]] std::optional<double> AvailableAt(Signal signal, Instant at) const;
  // What the pod held; 0 where it was not active.
  [[nodiscard]] double MemoryAt(PodIndex slot, Instant at) const;
  // All signals; those of which only one end is known have its figure.
  [[nodiscard]] Observations SeenAt(Instant at) const;

 private:
  [[nodiscard]] double ShareAt(Instant at) const;

  const Frame& from_;
  const Frame& to_;
};

// A pod's memory in a frame; absent where it was not active.
[[nodiscard]] std::optional<std::int64_t> MemoryIn(const Frame& frame, PodIndex slot);

// What the recording says of itself.
struct RecordedFact {
  Instant at;
  std::string uid;
  std::string pod;
  Signal signal = Signal::kMemoryAvailable;
  std::optional<StorageLimitKind> limit;
  std::shared_ptr<const RecordedPass> pass;  // where passes are kept: the one that evicted it
};
struct RecordingFlaw {
  Instant at;
  std::string what;  // a sentence without its full stop
};
struct RecordingFacts {
  std::string node;
  std::optional<Instant> from;
  std::optional<Instant> to;
  std::uint64_t passes = 0;
  std::size_t pods = 0;  // different ones
  Duration longest_step{0};
  Duration unknown{0};                  // time in gaps
  std::vector<RecordedFact> evictions;  // that were carried out
  std::vector<RecordedFact> oom_kills;
  std::vector<RecordingFlaw> flaws;  // the first kMostFlaws of them
  std::uint64_t flaw_count = 0;
  std::vector<std::string> notes;  // what it says of itself; the first kMostFlaws of them
  std::uint64_t note_count = 0;
};
inline constexpr std::size_t kMostFlaws = 50;

}  // namespace jettison
