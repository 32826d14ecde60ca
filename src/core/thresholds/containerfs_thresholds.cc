#include "core/thresholds/containerfs_thresholds.h"

namespace jettison {
namespace {

// The last threshold of the signal that is hard, or soft; a soft one without grace counts as hard.
const Threshold* Find(const std::vector<Threshold>& thresholds, Signal signal, bool hard) {
  const Threshold* found = nullptr;
  for (const Threshold& threshold : thresholds) {
    if (threshold.signal == signal && threshold.IsHard() == hard) found = &threshold;
  }
  return found;
}

}  // namespace

Signal ContainerFsSource(Signal signal, DiskLayout layout) {
  const bool as_image_fs = layout.dedicated_image_fs && !layout.dedicated_container_fs;
  if (signal == Signal::kContainerFsAvailable) {
    return as_image_fs ? Signal::kImageFsAvailable : Signal::kNodeFsAvailable;
  }
  if (signal == Signal::kContainerFsInodesFree) {
    return as_image_fs ? Signal::kImageFsInodesFree : Signal::kNodeFsInodesFree;
  }
  return signal;
}

std::vector<Threshold> ThresholdsFor(const std::vector<Threshold>& configured,
                                     const std::optional<DiskLayout>& layout) {
  std::vector<Threshold> effective;
  effective.reserve(configured.size() + 4);
  for (const Threshold& threshold : configured) {
    const FileSystem disk = RowOf(threshold.signal).disk;
    if (disk == FileSystem::kContainer) continue;
    if (layout || disk != FileSystem::kImage) effective.push_back(threshold);
  }
  for (const Signal signal : {Signal::kContainerFsAvailable, Signal::kContainerFsInodesFree}) {
    for (const bool hard : {true, false}) {
      const Signal from = ContainerFsSource(signal, layout.value_or(DiskLayout{}));
      const Threshold* source = Find(configured, from, hard);
      if (source == nullptr) continue;
      effective.push_back(*source);
      effective.back().signal = signal;
    }
  }
  return effective;
}

}  // namespace jettison
