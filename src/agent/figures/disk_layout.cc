#include "agent/figures/disk_layout.h"

#include <sys/types.h>

#include <optional>

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

}  // namespace jettison
