#pragma once

#include <string>
#include <vector>

#include "core/model/threshold.h"
#include "machine/log/log.h"

namespace jettison {

// Paths on the file systems that a node's files lie on.
struct DiskPlaces {
  std::string node;        // the node's own files: nodefs
  std::string images;      // where the runtime says its images are; empty: it has none
  std::string containers;  // where writable layers are; empty: beside the images
};

// "one file system holds everything" and the like, for people.
[[nodiscard]] std::string Describe(DiskLayout layout);

// A layout with the paths to measure its file systems by.
struct DiskSurvey {
  DiskLayout layout;
  std::string image_fs;             // a path on imagefs; empty: it is nodefs
  std::string container_fs;         // a path on containerfs; empty: it is nodefs
  std::vector<std::string> faults;  // places that cannot be told apart, a sentence each
  friend bool operator==(const DiskSurvey&, const DiskSurvey&) = default;
};
// Looks at the places as they are mounted now, and waits for no file system that may not answer. An
// unknown place of images counts as on nodefs, an unknown place of writable layers as with the
// images. Writable layers apart from the images are a split file system even if the images lie on
// nodefs. (kubelet 1.36: Provider.HasDedicatedImageFs; IsContainerFsSeparateFromImageFs, which
// compares names of mount points)
[[nodiscard]] DiskSurvey SurveyDisks(const DiskPlaces& places);

// Says in the log what was found.
void LogSurvey(const DiskSurvey& survey, const Log& log);

}  // namespace jettison
