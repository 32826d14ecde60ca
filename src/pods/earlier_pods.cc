#include "pods/earlier_pods.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "kernel/mounts/quarantine.h"

namespace jettison {

bool IsDamage(const Error& error) {
  return error.code == ErrorCode::kInvalidArgument;
}

bool IsHashOfContent(const Pod& pod) {
  const auto hash = pod.annotations.find("kubernetes.io/config.hash");
  return hash != pod.annotations.end() && hash->second == pod.uid;
}

PodFailed RefusalOf(const std::string& uid, const std::string& why, bool is_held) {
  return {.pod_uid = uid,
          .error = {ErrorCode::kUnavailable,
                    fmt::format("an earlier pod of this UID is in its place: {}", why)},
          .by_others = is_held};
}

void SetEarlierAside(kernel::DiskWork& disk, const kernel::Paths& paths, const std::string& uid,
                     Instant now, const std::function<void(std::string_view)>& log,
                     const std::function<void(bool)>& done) {
  const auto place = std::make_shared<std::string>();
  disk.Do(
      [paths, uid, now, place]() -> Result<void> {
        auto moved = kernel::SetAside(paths, uid, now);
        if (!moved) return Fail(moved.error());
        *place = *std::move(moved);
        return {};
      },
      [uid, place, log, done](const Result<void>& moved) {
        if (!moved) {
          log(moved.error().In(fmt::format("set the files of pod {} aside", uid)).message);
        } else if (!place->empty()) {
          log(
              fmt::format("pod {} of an earlier agent could not be read and nothing of it runs: "
                          "all its files are in {}; delete them when nobody needs them",
                          uid, *place));
        }
        done(moved.has_value());
      });
}

}  // namespace jettison
