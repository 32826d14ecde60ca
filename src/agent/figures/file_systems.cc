#include "agent/figures/file_systems.h"

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <utility>

#include "kernel/filesystem/filesystem.h"

namespace jettison {
namespace {

std::optional<dev_t> DeviceAt(const std::string& path, const char* what,
                              std::vector<std::string>& faults) {
  if (path.empty()) return std::nullopt;
  const auto device = DeviceOf(FindPlace(path));
  if (device) return *device;
  faults.push_back(device.error().In(what).message);
  return std::nullopt;
}

constexpr Duration kPeriod = std::chrono::seconds(10);

}  // namespace

std::string Describe(DiskLayout layout) {
  if (layout.dedicated_container_fs)
    return "images and writable layers have different file systems";
  if (layout.dedicated_image_fs)
    return "images and writable layers have a file system of their own";
  return "one file system holds everything";
}

DiskSurvey SurveyDisks(const DiskPlaces& places) {
  DiskSurvey survey;
  const auto node = DeviceAt(places.node, "the node's files", survey.faults);
  const auto found_images = DeviceAt(places.images, "images", survey.faults);
  const auto found_layers = DeviceAt(places.containers, "writable layers", survey.faults);
  if (!node) return survey;
  const auto images = found_images ? found_images : node;
  const auto layers = found_layers ? found_layers : images;
  survey.layout.dedicated_container_fs = layers != images;
  survey.layout.dedicated_image_fs = images != node || layers != images;
  if (images != node) survey.image_fs = places.images;
  if (layers != node) survey.container_fs = found_layers ? places.containers : survey.image_fs;
  return survey;
}

void LogSurvey(const DiskSurvey& survey, const Log& log) {
  for (const std::string& fault : survey.faults) {
    log.Warn("the file system of a directory cannot be determined and is taken to be nodefs",
             {{"err", fault}});
  }
  const auto place = [](const std::string& path) { return path.empty() ? "nodefs" : path; };
  log.Info("disk layout", {{"layout", Describe(survey.layout)},
                           {"imageFs", place(survey.image_fs)},
                           {"containerFs", place(survey.container_fs)}});
}

DiskStatsReader::DiskStatsReader(std::string mounts, Ask ask)
    : mounts_file_(std::move(mounts)), ask_(std::move(ask)) {
  TakeMounts();
}

// Mounts that cannot be read now are read later; until then those that are known count. The paths
// are looked up here, so that no reading between a crossing and a signal does it.
void DiskStatsReader::TakeMounts() {
  auto mounts = kernel::ReadMounts(mounts_file_);
  if (!mounts) return;
  mounts_ = *std::move(mounts);
  for (auto& [path, at_once] : at_once_) at_once = PlaceOf(mounts_, path).answers_by_itself;
}

bool DiskStatsReader::AnswersAtOnce(const std::string& path) {
  if (mounts_.empty()) return true;  // nothing is known
  const auto known = at_once_.find(path);
  if (known != at_once_.end()) return known->second;
  return at_once_[path] = PlaceOf(mounts_, path).answers_by_itself;
}

Result<FsStats> DiskStatsReader::Read(const std::string& path, Instant now) {
  if (!AnswersAtOnce(path)) return ReadSlow(path, now);
  auto stats = ask_(path);
  if (stats) stats->time = now;
  return stats;
}

// The moment of a late answer is not known, so it only shows that the file system can be asked
// again.
void DiskStatsReader::Slow::TakeAnswer(Instant now) {
  if (!answer.under_way()) return;
  const bool is_late = now - asked_at >= kPatience;
  if (is_late) last.reset();
  auto taken = answer.Take();
  if (taken && !is_late) last = std::move(taken);
}

Result<FsStats> DiskStatsReader::ReadSlow(const std::string& path, Instant now) {
  Slow& slow = slow_[path];
  slow.TakeAnswer(now);
  if (!slow.answer.under_way()) {
    if (!slow.questions.running()) {
      return Fail(ErrorCode::kUnavailable, "statvfs " + path + ": no thread to ask it on");
    }
    slow.asked_at = now;
    slow.answer.Begin([ask = ask_, path, now] {
      Result<FsStats> stats = ask(path);
      if (stats) stats->time = now;
      return stats;
    });
    if (std::exchange(slow.is_first, false) && slow.questions.FinishWithin(kFirstWait)) {
      slow.TakeAnswer(now);
    }
  }
  if (slow.last) return *slow.last;
  return Fail(ErrorCode::kDeadlineExceeded, "statvfs " + path + ": does not answer");
}

void ImagePlaces::Ask(std::function<void()> answered, std::function<void()> late) {
  late_ = std::move(late);
  late_at_ = clock_.Now() + kPatience;
  images_.Folders([this, answered = std::move(answered)](const Result<StorageFolders>& folders) {
    late_ = nullptr;
    Take(folders);
    answered();
  });
}

void ImagePlaces::Take(const Result<StorageFolders>& folders) {
  next_ = clock_.Now() + kPeriod;
  if (folders) {
    is_known_ = true;
    return found_(*folders);
  }
  if (is_known_ || !say_unknown_.Take()) return;
  log_.Warn(
      "the file system of the images is not known and is taken to be nodefs until the runtime "
      "tells it",
      {{"err", folders.error().message}});
}

void ImagePlaces::Advance(Instant now) {
  if (late_ && now >= late_at_) std::exchange(late_, nullptr)();
  if (!next_ || now < *next_) return;
  next_.reset();
  Ask([] {});
}

}  // namespace jettison
