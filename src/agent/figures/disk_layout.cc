#include "agent/figures/disk_layout.h"

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

DiskLayout LayoutOf(const DiskDevices& devices) {
  const auto images = devices.images ? devices.images : devices.node;
  const auto containers = devices.containers ? devices.containers : images;
  DiskLayout layout;
  if (!devices.node) return layout;
  layout.dedicated_container_fs = containers != images;
  layout.dedicated_image_fs = images != devices.node || layout.dedicated_container_fs;
  return layout;
}

std::string Describe(DiskLayout layout) {
  if (layout.dedicated_container_fs)
    return "images and writable layers have different file systems";
  if (layout.dedicated_image_fs)
    return "images and writable layers have a file system of their own";
  return "one file system holds everything";
}

DiskSurvey SurveyDisks(const DiskPlaces& places) {
  DiskSurvey survey;
  const DiskDevices devices = {
      .node = DeviceAt(places.node, "the node's files", survey.faults),
      .images = DeviceAt(places.images, "images", survey.faults),
      .containers = DeviceAt(places.containers, "writable layers", survey.faults)};
  survey.layout = LayoutOf(devices);
  if (!devices.node) return survey;
  if (devices.images && devices.images != devices.node) survey.image_fs = places.images;
  if (!devices.containers) {
    survey.container_fs = survey.image_fs;
  } else if (devices.containers != devices.node) {
    survey.container_fs = places.containers;
  }
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
