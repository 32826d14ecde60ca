#include <gtest/gtest.h>

#include <string>

#include "core/shadow/shadow_pairing.h"

namespace jettison {
namespace {

using Kind = KubeletEvictionKind;

TEST(KubeletMessage, SaysWhatTheNodeWasLowOnOrWhatThePodBroke) {
  struct Row {
    const char* message;
    Kind kind;
    std::optional<Resource> resource;
  };
  for (const Row& row : {
           Row{"The node was low on resource: memory. Threshold quantity: 22300Mi, available: "
               "22019080Ki. Container c was using 1436884Ki, request is 0, has larger consumption "
               "of memory. ",
               Kind::kNodePressure, Resource::kMemory},
           Row{"The node was low on resource: ephemeral-storage. Threshold quantity: 1, available: "
               "0. ",
               Kind::kNodePressure, Resource::kEphemeralStorage},
           Row{"The node was low on resource: inodes. ", Kind::kNodePressure, Resource::kInodes},
           Row{"The node was low on resource: pids. ", Kind::kNodePressure, Resource::kPids},
           Row{"The node was low on resource: patience. ", Kind::kNodePressure, {}},
           Row{"The node was low on resource: ", Kind::kNodePressure, {}},
           Row{"The node was low on resource: memory", Kind::kNodePressure, Resource::kMemory},
           Row{"Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. ",
               Kind::kStorageLimit,
               {}},
           Row{"Usage of EmptyDir volume \"cache\" exceeds the limit \"1Gi\". ",
               Kind::kStorageLimit,
               {}},
           Row{"Container c exceeded its local ephemeral storage limit \"1Gi\". ",
               Kind::kStorageLimit,
               {}},
           Row{"Pod was rejected: The node had condition: [MemoryPressure]. ", Kind::kRejected, {}},
           Row{"Pod The node had condition: [DiskPressure]. ", Kind::kRejected, {}},
           Row{"", Kind::kUnknown, {}},
           Row{"something else", Kind::kUnknown, {}},
       }) {
    const KubeletCause cause = KubeletCauseOf(row.message);
    EXPECT_EQ(cause.kind, row.kind) << row.message;
    EXPECT_EQ(cause.resource, row.resource) << row.message;
  }
}

}  // namespace
}  // namespace jettison
