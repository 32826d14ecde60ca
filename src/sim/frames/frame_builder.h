#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/recording/recording.h"
#include "core/units/duration.h"
#include "sim/frames/frame.h"

namespace jettison {

// Makes frames out of a recording, one for each pass, and collects what the recording says of
// itself. Passes that read no pods have the figures of the pass before.
class FrameBuilder {
 public:
  // `emit` is handed each frame, in the order of time; it may move out of it.
  FrameBuilder(PodRoster& roster, std::function<void(Frame&)> emit)
      : roster_(roster), emit_(std::move(emit)) {}

  void Add(const RecordedItem& item);

  [[nodiscard]] const RecordingFacts& facts() const { return facts_; }
  [[nodiscard]] Profile profile() const { return profile_; }

 private:
  void Take(const RecordingAbout& about);
  void Take(const std::shared_ptr<const RecordedPass>& pass);
  void Take(const RecordedOomKill& kill);
  void Take(const RecordedGap& gap);
  void Take(const RecordedNote& note);
  void Flaw(Instant at, std::string what);
  void CheckTime(const RecordedPass& pass);
  [[nodiscard]] Duration LongestStep() const;
  void TakeStep(Duration step, Instant at);
  void TakePods(const RecordedPass& pass, Frame& frame);
  void ReuseFigures(Frame& frame) const;
  void TakeEvictions(const RecordedPass& pass, Frame& frame);
  void TakeEnding(Frame& frame);

  // A pod that was told to end and whose memory the node has not got back.
  struct Ending {
    PodIndex slot = 0;
    std::int64_t memory = 0;
    std::int64_t available = 0;  // of the node, when it was told to end
    Instant since;
  };
  PodRoster& roster_;
  std::function<void(Frame&)> emit_;
  RecordingFacts facts_;
  Profile profile_ = Profile::kKubelet;
  bool breaks_ = true;
  std::optional<Instant> last_at_;  // of the pass before
  std::optional<Duration> usual_step_;
  Duration refused_step_{0};  // was a gap
  std::vector<std::shared_ptr<const PodFacts>> last_pods_;
  std::vector<PodIndex> last_slots_;
  std::vector<Ending> ending_;
  std::vector<RecordedEnd> ends_;  // that wait for the next frame
  std::vector<FramePod> figures_;  // of the frame before
};

// The frames that lie between two others by what is known of that time beside them: pods that were
// evicted or killed, with the most that they held, and the least that the node had left. In the
// order of time; empty where nothing is known. Ends that get a frame of their own are taken out of
// `to`.
//
// A pod that ended held the most that is known of it then, and all others lie on the line between
// the two frames. When it was is read off how the pod grew before.
[[nodiscard]] std::vector<Frame> LowsBetween(const Frame& from, Frame& to,
                                             const std::vector<RecordedCourse>& courses);

// Thins frames to what a recording would tell that was taken by the clock alone. Passes that
// evicted are left out always: they are there because a policy was in force. That a pod was evicted
// since the frame before stays known, but not when it was. So do the least that was available in
// between, and the most that each pod held, as counters of the kernel tell them (memory.peak).
class Thinning {
 public:
  using Take = std::function<void(Frame&)>;
  // `every`: at least so long from frame to frame; zero: each pass by the clock.
  Thinning(Duration every, Take take) : every_(every), take_(std::move(take)) {}

  void Add(Frame& frame);
  // The last frame is kept, however soon it comes.
  void Finish();

 private:
  void LeaveOut(const Frame& frame);
  void Keep(Frame& frame);

  Duration every_;
  Take take_;
  std::optional<Instant> last_;
  std::optional<Frame> spare_;    // the last that was left out by the clock alone
  std::optional<Frame> between_;  // the extremes since then, as a frame
};

}  // namespace jettison
