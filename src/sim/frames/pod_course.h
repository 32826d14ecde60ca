#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/units/duration.h"

namespace jettison {

// What a recording says of one pod: its present life and the one before, in so few points that a
// week of it takes no more room than an hour. A life ends with an eviction or an OOM kill.
class RecordedCourse {
 public:
  // A life as another one repeats it, which began at another time.
  struct Repeated {
    unsigned life = 0;
    Instant born;
  };

  // It was active and held so much. `before`: the frame before, in which a new life had not begun
  // yet; absent: nothing is known of the time before.
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
  // When its present life began, as far as that is known; and what it held last.
  [[nodiscard]] Instant born() const { return now_.born; }
  [[nodiscard]] std::int64_t last() const { return now_.last.memory; }
  // What it held when the present life, or that of number `life`, was of that age. Beyond what is
  // known of a life it goes on growing as it did at the end. A life that began between two frames
  // began with nothing at the first of them. The life before is used where an older one is asked
  // for.
  [[nodiscard]] double AmountAtAge(unsigned life, Duration age) const;
  // How much of that life is known.
  [[nodiscard]] Duration AgeOf(unsigned life) const;
  // How it goes on where the recording ended its present life with so much: like the life before
  // where that one held as much and went on, else as it grew at its end.
  [[nodiscard]] Repeated GoingOn(std::int64_t held, Instant at) const;
  // How it fares when it begins anew at that moment: like the life of which most is known.
  [[nodiscard]] Repeated Anew(Instant at) const;
  // How fast it took memory lately, by what was seen until now: bytes a second, 0 or more.
  [[nodiscard]] double Growth() const { return GrowthOf(now_); }

 private:
  struct Point {
    Instant at;
    std::int64_t memory = 0;
  };
  // At most kMostPoints; where there would be more, each second one is dropped, and from then on
  // points lie twice as far apart. The last one is always known.
  struct Life {
    Instant born;
    std::vector<Point> points;
    Point last;
    std::size_t every = 1;
    std::size_t skipped = 0;
    void Add(Point point);
  };
  static constexpr std::size_t kMostPoints = 64;

  [[nodiscard]] const Life& LifeOf(unsigned life) const { return life == life_ ? now_ : before_; }
  [[nodiscard]] static double GrowthOf(const Life& life);

  Life now_;
  Life before_;
  unsigned life_ = 0;
  bool active_ = false;
  bool ended_ = false;
};

}  // namespace jettison
