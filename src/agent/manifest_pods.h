#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/log.h"
#include "model/fault.h"
#include "model/pod.h"
#include "platform/manifests/manifest_directory.h"

namespace jettison {

// The pods that the manifests ask for. A file may hold several documents; what is wrong with one is
// reported with file and field and harms no other. While a file has faults, the pods it used to
// hold stay as they were.
//
// A pod's UID is that of its manifest or, where it has none, a stable hash of the file's path and
// the pod as it was read: comments and order change nothing, any other change makes another pod.
// Its name stays the manifest's. It carries the annotations that the kubelet gives a static pod:
// kubernetes.io/config.source: file, and config.hash.
class ManifestPods {
 public:
  explicit ManifestPods(const Log& log) : log_(log) {}

  // Takes one file's change in and logs what is wrong with it.
  void Apply(const ManifestChange& change);

  // What should run, by namespace and name. Of two pods with one name, or one UID, the file that
  // comes first by path wins; the other is reported once for each change.
  [[nodiscard]] std::vector<Pod> Wanted();

 private:
  struct File {
    std::vector<Pod> pods;
  };
  void Report(const Fault& fault) const;
  [[nodiscard]] std::vector<Pod> Read(const std::string& file, const std::string& text,
                                      bool& faulty) const;

  const Log& log_;
  std::map<std::string, File> files_;  // by path
};

}  // namespace jettison
