#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/units/duration.h"

namespace jettison {

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
