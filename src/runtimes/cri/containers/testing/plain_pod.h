#pragma once

#include <string>

#include "core/model/pod.h"

namespace jettison::cri {

// A pod of one container.
inline Pod SimplePod(const std::string& uid) {
  Pod pod;
  pod.name = "pod-" + uid;
  pod.uid = uid;
  pod.containers.resize(1);
  pod.containers[0].name = "main";
  pod.containers[0].image = "bed.local/tiny:1";
  return pod;
}

}  // namespace jettison::cri
