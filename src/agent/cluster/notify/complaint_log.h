#pragma once

#include "machine/log/log.h"
#include "sources/kubernetes/calls/call_complaints.h"

namespace jettison {

// Writes a line for it, with the rule that gives a right which is missing.
inline void Say(const kube::Complaint& complaint, const Log& log) {
  if (complaint.rule.empty()) {
    log.Warn(complaint.message, {{"err", complaint.err}});
  } else {
    log.Warn(complaint.message, {{"err", complaint.err}, {"rule", complaint.rule}});
  }
}

}  // namespace jettison
