#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/units/duration.h"

namespace jettison {

// How a container ended.
struct ContainerExit {
  int exit_code = 0;  // 128 + n after signal n
  int signal = 0;     // 0: it exited by itself
  bool oom_killed = false;
  Instant started;
  Instant finished;
};

// One run of a container, alive or dead, as a runtime knows it.
struct ContainerRecord {
  std::string pod_uid;
  std::string name;
  int attempt = 0;  // 0 for the first run, one more for each restart
  Instant created;
  std::optional<ContainerExit> exit;  // absent: it runs
  // Its start was cut short, and nothing of it ever ran: its attempt is taken, no more.
  bool never_ran = false;
  // The machine was restarted since, or the pod's sandbox has ended: nothing of what the init
  // containers had made in memory volumes and in the pod's network is there any more.
  bool of_earlier_life = false;
};

// What the agent remembers of an image between collections.
struct ImageRecord {
  std::string id;
  std::uint64_t size_bytes = 0;
  Instant first_detected;
  std::optional<Instant> last_used;  // absent: never seen in use
  bool in_use = false;
  bool pinned = false;
  friend bool operator==(const ImageRecord&, const ImageRecord&) = default;
};

// imageGC* fields of KubeletConfiguration.
struct ImageGcPolicy {
  int high_threshold_percent = 85;  // collection starts at this use of the image file system
  int low_threshold_percent = 80;   // and frees down to this
  Duration min_age = std::chrono::minutes(2);
  Duration max_age{0};  // zero: images never grow too old
  friend bool operator==(const ImageGcPolicy&, const ImageGcPolicy&) = default;
};

}  // namespace jettison
