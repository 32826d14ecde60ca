#include "machine/own_process/own_threads.h"

#include <utility>

#include "kernel/filesystem/filesystem.h"

namespace jettison {

bool OwnDiskThread::MayHang(const std::string& path) const {
  return path.starts_with('/') && !FindPlace(path).answers_by_itself;
}

// The file system is identified without asking it.
void OwnDiskThread::DoAt(const std::string& path, const std::shared_ptr<Work>& work) {
  const Place place = FindPlace(path);
  const std::string& file_system = place.mount ? place.mount->point : place.path;
  auto& jobs =
      by_file_system_.try_emplace(file_system, Threads::kSpare, AtEnd::kLeave).first->second;
  jobs.Do([weak = std::weak_ptr<Work>(work)] {
    if (const auto wanted = weak.lock()) (*wanted)();
  });
}

}  // namespace jettison
