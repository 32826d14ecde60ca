#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/model/fault.h"
#include "core/model/pod.h"
#include "sources/manifests/manifest_directory.h"

namespace jettison {

// What a manifest says. A file may hold several documents; what is wrong with one is told with file
// and field and harms no other.
struct ManifestReading {
  std::vector<Pod> pods;  // those without faults
  std::vector<Fault> faults;
  std::vector<std::string> warnings;  // fields without effect
};

// Reads a manifest. A pod's UID is that of its manifest or, where it has none, a stable hash of the
// file's path and the pod as it was read: comments and order change nothing, any other change makes
// another pod. Its name stays the manifest's. It carries the annotations that the kubelet gives a
// static pod, kubernetes.io/config.source: file, and config.hash, and the path of its file.
[[nodiscard]] ManifestReading ReadManifest(const std::string& file, const std::string& text);

// The file that a pod was read from; empty: it is not written down. An agent that takes over the
// pods of one before it finds them in their manifests again by this, faulty or not.
[[nodiscard]] std::string SourceFileOf(const Pod& pod);
// Whether two pods are equal, apart from where they were read from.
[[nodiscard]] bool SayTheSame(const Pod& a, const Pod& b);

// A change of a file, read.
struct ManifestNews {
  std::string file;
  std::variant<ManifestReading, ManifestUnreadable, ManifestUnsettled, ManifestGone> now;
};
[[nodiscard]] ManifestNews ReadChange(ManifestChange change);

}  // namespace jettison
