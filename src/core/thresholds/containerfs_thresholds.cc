#include "core/thresholds/containerfs_thresholds.h"

namespace jettison {
namespace {

bool IsContainerFs(Signal signal) {
  return signal == Signal::kContainerFsAvailable || signal == Signal::kContainerFsInodesFree;
}

bool IsImageFs(Signal signal) {
  return signal == Signal::kImageFsAvailable || signal == Signal::kImageFsInodesFree;
}

// The last threshold of the signal that is hard, or soft; a soft one without grace counts as hard.
const Threshold* Find(const std::vector<Threshold>& thresholds, Signal signal, bool hard) {
  const Threshold* found = nullptr;
  for (const Threshold& threshold : thresholds) {
    if (threshold.signal == signal && threshold.IsHard() == hard) found = &threshold;
  }
  return found;
}

}  // namespace

std::vector<Threshold> ThresholdsFor(const std::vector<Threshold>& configured,
                                     const std::optional<DiskLayout>& layout) {
  std::vector<Threshold> effective;
  effective.reserve(configured.size() + 4);
  for (const Threshold& threshold : configured) {
    if (IsContainerFs(threshold.signal)) continue;
    if (layout || !IsImageFs(threshold.signal)) effective.push_back(threshold);
  }
  const bool as_image_fs = layout && layout->dedicated_image_fs && !layout->dedicated_container_fs;
  const auto replace = [&](Signal container_fs, Signal node_fs, Signal image_fs) {
    for (const bool hard : {true, false}) {
      const Threshold* source = Find(configured, as_image_fs ? image_fs : node_fs, hard);
      if (source == nullptr) continue;
      effective.push_back(*source);
      effective.back().signal = container_fs;
    }
  };
  replace(Signal::kContainerFsAvailable, Signal::kNodeFsAvailable, Signal::kImageFsAvailable);
  replace(Signal::kContainerFsInodesFree, Signal::kNodeFsInodesFree, Signal::kImageFsInodesFree);
  return effective;
}

}  // namespace jettison
