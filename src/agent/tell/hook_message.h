#pragma once

#include <string>
#include <string_view>

#include "core/model/eviction_order.h"
#include "core/model/signal.h"
#include "core/units/duration.h"

namespace jettison {

// What a hook is told: one object of JSON on a program's standard input, or as the body of a POST.
//
//   {"apiVersion": "jettison.io/v1alpha1", "kind": "Notice", "type": "BeforeEviction",
//    "time": "2026-01-02T03:04:05Z", "node": "node-1", "dryRun": false,
//    "pod": {"namespace": ..., "name": ..., "uid": ...},
//    "eviction": {"reason": ..., "message": ..., "gracePeriodSeconds": 1, "annotations": {...}}}
//
// A ConditionChange has "condition" (type, status, reason, message) instead of pod and eviction; an
// AfterEviction says "cleanedUp": whether nothing of the pod is left on the node.

// What every notice says.
struct NoticeHead {
  Instant at;
  std::string_view node;
  bool dry_run = false;
};

[[nodiscard]] std::string ConditionNotice(const NoticeHead& head, NodeConditionType type,
                                          bool status);
// `pod`: "namespace/name".
[[nodiscard]] std::string BeforeEvictionNotice(const NoticeHead& head, std::string_view pod,
                                               const EvictionOrder& order);
[[nodiscard]] std::string AfterEvictionNotice(const NoticeHead& head, std::string_view pod,
                                              const EvictionOrder& order, bool cleaned_up);

}  // namespace jettison
