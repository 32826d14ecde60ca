#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/recording/recording.h"
#include "sim/frames/frame_builder.h"
#include "sim/whatif/whatif_model.h"

namespace jettison {

class PolicyRun;

struct WhatIfOptions {
  WhatIfModel model;
  // Passes by the clock alone are seen, so far apart; absent: all.
  std::optional<Duration> thinning;
  // As WhatIfNode::blind.
  bool blind = false;
  bool keep_passes = false;  // as WhatIfNode::keep_passes, and those of recorded evictions
};

// What each policy would have done to the node of a recording. Items are handed in one by one, all
// of them: also where no policy acts, they say how pods grow. What is kept of them does not grow
// with their number.
class WhatIf {
 public:
  WhatIf(std::vector<CandidatePolicy> candidates, WhatIfOptions options);
  WhatIf(const WhatIf&) = delete;
  WhatIf& operator=(const WhatIf&) = delete;
  ~WhatIf();

  void Add(const RecordedItem& item);
  void Finish();

  [[nodiscard]] const RecordingFacts& facts() const { return builder_.facts(); }
  // Beside the candidates.
  [[nodiscard]] std::vector<PolicyOutcome> Outcomes() const;

 private:
  void Go(Frame& frame);
  void Lead(const Segment& segment, bool violations);
  // `before`: when the frame before was taken.
  void Learn(const Frame& frame, std::optional<Instant> before);
  [[nodiscard]] bool HasViolations(const Frame& frame);
  // What all policies look at, at this moment.
  [[nodiscard]] WhatIfNode Node() const;

  const std::vector<CandidatePolicy> candidates_;
  const WhatIfOptions options_;
  PodRoster roster_;
  std::vector<RecordedCourse> courses_;
  std::vector<PolicyRun> runs_;
  FrameBuilder builder_;
  std::optional<Thinning> thinning_;
  RecordedSettings recorded_ = kUsualSettings;
  std::optional<Frame> last_;
  std::vector<ActivePod> scratch_;
};

}  // namespace jettison
