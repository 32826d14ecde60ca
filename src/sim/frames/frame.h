#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/decide/decide.h"
#include "core/model/choices.h"
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
  // Of the threshold that was acted for.
  bool soft = false;
  std::int64_t available = 0;
  std::int64_t line = 0;
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

// What a recording says of one life of a pod, in so few points that a week of it takes no more room
// than an hour. A life ends with an eviction or an OOM kill.
class RecordedLife {
 public:
  // It began then, with nothing.
  explicit RecordedLife(Instant born) : born_(born) {}

  void Add(std::int64_t memory, Instant at);

  [[nodiscard]] Instant born() const { return born_; }
  // How much of it is known.
  [[nodiscard]] Duration age() const { return Elapsed(born_, last_.at); }
  // When it was known last, and what it held then.
  [[nodiscard]] Instant until() const { return last_.at; }
  [[nodiscard]] std::int64_t last() const { return last_.memory; }
  // What it held at that age. Beyond what is known of it, it goes on growing as it did at the end.
  [[nodiscard]] double AmountAtAge(Duration age) const;
  // How old it was when it held so much, or nearly; absent: it never did, or ended with it.
  [[nodiscard]] std::optional<Duration> AgeWith(std::int64_t memory) const;
  // How fast it took memory in the end: bytes a second, 0 or more.
  [[nodiscard]] double Growth() const;

 private:
  struct Point {
    Instant at;
    std::int64_t memory = 0;
  };
  static constexpr std::size_t kMostPoints = 64;

  // At most kMostPoints; where there would be more, each second one is dropped, and from then on
  // points lie twice as far apart. The last one is always known.
  Instant born_;
  std::vector<Point> points_;
  Point last_;
  std::size_t every_ = 1;
  std::size_t skipped_ = 0;
};

// A life as a pod of a simulation repeats it, which began at another time.
struct RepeatedLife {
  std::shared_ptr<const RecordedLife> life;
  Instant born;
};

// Whether two amounts of memory cannot be told apart.
[[nodiscard]] bool HoldsAlike(double held, std::int64_t recorded);

// What a recording says of one pod: its present life, and the longest of those before.
class RecordedCourse {
 public:
  // It was active and held so much. `before`: the frame before, in which a new life had not begun
  // yet: it began in the middle between the two. Absent: nothing is known of the time before.
  void Seen(std::int64_t memory, Instant at, std::optional<Instant> before = std::nullopt);
  // It was not active.
  void Absent() { active_ = false; }
  // It was evicted or killed; what is seen of it from now on, when it was away, has less or is
  // still there after half a minute, is another life.
  void Ended() { ended_ = true; }

  [[nodiscard]] bool active() const { return active_; }
  // It is active no more and nobody ended it: it completed, or was deleted.
  [[nodiscard]] bool HasLeft() const { return !active_ && !ended_; }
  // Counts lives.
  [[nodiscard]] unsigned life() const { return life_; }
  // The present life, or the last one; null before the pod was seen.
  [[nodiscard]] const RecordedLife* now() const { return now_.get(); }
  // How it goes on where the recording ended its present life with so much: like the longest life
  // before where that one held as much and went on, else as it grew at its end.
  [[nodiscard]] RepeatedLife GoingOn(std::int64_t held, Instant at) const;
  // How it fares when it begins anew at that moment: like the life of which most is known.
  [[nodiscard]] RepeatedLife Anew(Instant at) const;

 private:
  std::shared_ptr<RecordedLife> now_;
  std::shared_ptr<const RecordedLife> longest_;
  unsigned life_ = 0;
  bool active_ = false;
  bool ended_ = false;
};

}  // namespace jettison
